import type { RequirementId } from './requirement-id.ts';
import type { Verdict } from './verdict.ts';

/** Why a verdict is neither `pass` nor `fail`, as data. Only cause-sentences.ts makes sentences of it. */
export type Cause =
  /** Another requirement failed or was violated, so this one cannot be tested. */
  | { readonly kind: 'blocked'; readonly by: RequirementId; readonly resource: string | null }
  /** The provider has no data in which a breach would show. `records`: records in the list; null if unknown. */
  | { readonly kind: 'data'; readonly needs: string; readonly records: number | null }
  /** A breach that occurred in some attempts only. */
  | { readonly kind: 'intermittent'; readonly seen: number; readonly attempts: number }
  /** What was tested changed during the test. */
  | { readonly kind: 'changing' }
  /** No usable answer: 429, a 5xx, or (`status` null) no answer at all. */
  | { readonly kind: 'unavailable'; readonly status: number | null }
  /**
   * A limit of the run stopped the test: a key of the target file such as `maxRequests` or
   * `probes.wrongCredentials`, or one of {@link LIMITS_WITHOUT_KEY}.
   */
  | { readonly kind: 'limit'; readonly limit: string }
  /** The target file, the environment or the network is probably wrong. */
  | { readonly kind: 'configuration'; readonly key: string }
  /** Not part of this run. */
  | { readonly kind: 'unselected' }
  /** The target file or the options lack what the test needs. */
  | { readonly kind: 'unconfigured'; readonly key: string }
  | { readonly kind: 'interrupted' }
  /** Assay itself failed. */
  | { readonly kind: 'harness' };

export type CauseKind = Cause['kind'];

/** Limits of Assay that no key of the target file raises: links that go on without end, and traversals that are short on purpose. */
export const LIMITS_WITHOUT_KEY = {
  pagesBeyondCount: 'pages beyond count',
  shortTraversal: 'pages of a short traversal',
} as const;

/** A verdict that has a cause. */
export type OpenVerdict = Exclude<Verdict, 'pass' | 'fail'>;

/** The usual verdict for a cause. If an endpoint never answered, `unavailable` is an error instead. */
export function verdictOf({ kind }: Cause): OpenVerdict {
  switch (kind) {
    case 'configuration':
    case 'harness':
      return 'error';
    case 'unselected':
    case 'unconfigured':
      return 'skipped';
    default:
      return 'inconclusive';
  }
}

/** The default data need of a requirement. */
export const AT_LEAST_ONE_RECORD = 'a list with at least one record';
/** With one record no page size and no order can be wrong. */
export const MORE_THAN_ONE_RECORD = 'a list of more than one record';
export const MORE_THAN_ONE_PAGE = 'a list of more than one page';
export const MORE_THAN_500_RECORDS = 'a list of more than 500 records';

/** Number of records with which a list satisfies a data need. */
const ENOUGH: { readonly [needs: string]: number } = {
  [AT_LEAST_ONE_RECORD]: 1,
  [MORE_THAN_ONE_RECORD]: 2,
  [MORE_THAN_ONE_PAGE]: 501,
  [MORE_THAN_500_RECORDS]: 501,
};

/** Whether a data need is about the number of records in the list. */
export function isAboutRecords(needs: string): boolean {
  return Object.hasOwn(ENOUGH, needs);
}

/** Whether the list is known to hold the records that a requirement is said to need. */
export function contradictsItself({ needs, records }: Extract<Cause, { kind: 'data' }>): boolean {
  return records !== null && records >= (ENOUGH[needs] ?? Number.POSITIVE_INFINITY);
}
