import { unchanged } from '../pipeline.ts';
import type { Variant } from '../variant.ts';

const totals = [
  0, 1, 2, 3, 7, 10, 97, 499, 500, 501, 502, 999, 1000, 1001, 1024, 1499, 1500, 1501, 2500, 6000,
];

/** The conforming provider with list lengths at and around boundaries. */
export const totalVariants: readonly Variant[] = [
  ...totals.map(
    (records): Variant => ({
      id: `total-${records}`,
      sentence: `The list has ${records} records.`,
      records,
      apply: unchanged,
    }),
  ),
  {
    id: 'two-lists',
    sentence: 'The provider serves a second list besides the printers.',
    options: { resources: [{ path: '/v1/printers' }, { path: '/v1/units', records: 20 }] },
    apply: unchanged,
  },
];
