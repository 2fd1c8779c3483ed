import type { MockOptions } from './options.ts';
import type { Change } from './pipeline.ts';

/** An unusual provider that conforms to every requirement. */
export interface Variant {
  readonly id: string;
  /** One sentence: what is unusual. */
  readonly sentence: string;
  /** Number of records, if the variant sets it. */
  readonly records?: number;
  /** Default options; options of the caller override them. */
  readonly options?: Pick<
    MockOptions,
    'tokens' | 'basePath' | 'resources' | 'latencyMs' | 'seed' | 'credentials'
  >;
  /** The data changes during the run: verdicts may be inconclusive, but none may be a fail. */
  readonly living?: boolean;
  readonly apply: Change;
}

/** A row of a table of variants. */
export type VariantRow = Omit<Variant, 'id'>;

/** Begins a row: `variant('The list is empty.', { records: 0 }).by(change)`. */
export function variant(
  sentence: string,
  own?: Partial<VariantRow>,
): { readonly by: (apply: Change) => VariantRow } {
  return { by: (apply) => ({ sentence, apply, ...own }) };
}

/** The variants of a table, in the same order. */
export function variantsOf(rows: Readonly<Record<string, VariantRow>>): readonly Variant[] {
  return Object.entries(rows).map(([id, row]) => ({ id, ...row }));
}
