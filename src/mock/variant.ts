import type { MockOptions } from './options.ts';
import type { Change } from './pipeline.ts';

/** A provider that keeps every rule and yet looks unusual. */
export interface Variant {
  readonly id: string;
  /** One sentence: what is unusual. */
  readonly sentence: string;
  /** Number of records, where the variant is about it. */
  readonly records?: number;
  /** Options that it starts with; what the caller gives wins. */
  readonly options?: Pick<
    MockOptions,
    'tokens' | 'basePath' | 'resources' | 'latencyMs' | 'seed' | 'credentials'
  >;
  /** The data changes while it is read: verdicts may be inconclusive, but none may be a fail. */
  readonly living?: boolean;
  readonly apply: Change;
}
