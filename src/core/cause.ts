import { MAX_PAGE_SIZE } from './page-size.ts';
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

/** A cause until it is reported: a need for records with the number of records that satisfies it. */
export type JudgedCause = Cause | (Extract<Cause, { kind: 'data' }> & { readonly enough: number });

export function reportedCause(cause: JudgedCause | null): Cause | null {
  return cause?.kind === 'data' ? { kind: 'data', needs: cause.needs, records: cause.records } : cause;
}

export interface RecordNeed {
  /** What a person reads, also in results. */
  readonly text: string;
  /** Number of records with which a list satisfies it. */
  readonly enough: number;
}

/** The default data need of a requirement. */
export const AT_LEAST_ONE_RECORD: RecordNeed = { text: 'a list with at least one record', enough: 1 };
/** With one record no page size and no order can be wrong. */
export const MORE_THAN_ONE_RECORD: RecordNeed = { text: 'a list of more than one record', enough: 2 };
export const MORE_THAN_ONE_PAGE: RecordNeed = {
  text: 'a list of more than one page',
  enough: MAX_PAGE_SIZE + 1,
};
export const MORE_THAN_500_RECORDS: RecordNeed = {
  text: 'a list of more than 500 records',
  enough: MAX_PAGE_SIZE + 1,
};

/** The cause if the provider lacks this data. `records`: records in the list; null if unknown. */
export function lackOf(need: string | RecordNeed, records: number | null = null): JudgedCause {
  return typeof need === 'string'
    ? { kind: 'data', needs: need, records }
    : { kind: 'data', needs: need.text, records, enough: need.enough };
}

/** Whether the list is known to hold the records that a requirement is said to need. */
export function contradictsItself(cause: JudgedCause): boolean {
  return 'enough' in cause && cause.records !== null && cause.records >= cause.enough;
}

const RECORD_NEEDS = [AT_LEAST_ONE_RECORD, MORE_THAN_ONE_RECORD, MORE_THAN_ONE_PAGE, MORE_THAN_500_RECORDS];

/** Whether a reported data need is about the number of records in the list. Only wordings depend on it. */
export function isAboutRecords(needs: string): boolean {
  return RECORD_NEEDS.some(({ text }) => text === needs);
}
