import { type Variant, variant, variantsOf } from '../catalogue-rows.ts';

import { answerVariants } from './answers.ts';
import { changingDataVariants } from './changing-data.ts';
import { bodyVariants, linkVariants } from './pages.ts';
import { rareRequestVariants, tokenRefusalVariants } from './rare-requests.ts';
import { tokenVariants } from './tokens.ts';
import { transportVariants } from './transport.ts';

const totals = [
  0, 1, 2, 3, 7, 10, 97, 499, 500, 501, 502, 999, 1000, 1001, 1024, 1499, 1500, 1501, 2500, 6000,
];

/** The conforming provider with list lengths at and around boundaries, and with two lists. */
const totalVariants = variantsOf({
  ...Object.fromEntries(
    totals.map((records) => [
      `total-${records}`,
      variant(`The list has ${records} records.`, { records }).by(),
    ]),
  ),
  'two-lists': variant('The provider serves a second list besides the printers.', {
    options: { resources: [{ path: '/v1/printers' }, { path: '/v1/units', records: 20 }] },
  }).by(),
});

/** All variants, in catalogue order. */
export const variants: readonly Variant[] = [
  ...totalVariants,
  ...linkVariants,
  ...tokenVariants,
  ...tokenRefusalVariants,
  ...answerVariants,
  ...bodyVariants,
  ...transportVariants,
  ...rareRequestVariants,
  ...changingDataVariants,
];

/** The variant with this identifier. Throws RangeError if there is none. */
export function findVariant(id: string): Variant {
  const found = variants.find((one) => one.id === id);
  if (found === undefined) throw new RangeError(`unknown variant ${id}`);
  return found;
}
