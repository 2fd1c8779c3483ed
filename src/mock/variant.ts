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

/** A variant without its identifier. */
export type VariantDraft = Omit<Variant, 'id'>;

/** A row of {@link variantsOf}: `variant('The list is empty.').by(change)`. */
export function variant(sentence: string): {
  readonly by: (apply: Change, more?: Partial<VariantDraft>) => VariantDraft;
} {
  return { by: (apply, more) => ({ sentence, apply, ...more }) };
}

/** The variants of drafts that are named by their identifiers, in the same order. */
export function variantsOf(drafts: Readonly<Record<string, VariantDraft>>): readonly Variant[] {
  return Object.entries(drafts).map(([id, draft]) => ({ id, ...draft }));
}
