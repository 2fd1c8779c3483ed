import type { RequirementId } from '../core/requirement-id.ts';
import type { Change } from './pipeline.ts';

/** What a defect needs of the run to show at all. */
export interface DefectNeeds {
  /** The expiry suite: the run waits for a token to expire. */
  readonly expiry?: true;
  /** The provider's clock must run this many times faster. */
  readonly clockRate?: number;
  /** The provider must be started with tokens of this form. */
  readonly tokens?: 'jwt' | 'opaque';
  /** The run must select every requirement: with one alone the defect does not show. */
  readonly wholeSuite?: true;
  /** The target must name the second provider's credentials. */
  readonly otherCredentials?: true;
}

/** How hard a defect is to find: at first sight, only when looked for, or only in a corner. */
export type Difficulty = 'plain' | 'hidden' | 'subtle';

/** One deliberate breach that the reference provider can be told to commit. */
export interface Defect {
  readonly id: string;
  /** One sentence that states the cause. */
  readonly sentence: string;
  /** Lower-case words that a message naming the cause contains, all of them. */
  readonly keywords: readonly string[];
  /** Requirements that must fail. */
  readonly must: readonly string[];
  /** Requirements that may fail too, because the same breach is literally a breach of theirs. */
  readonly may: readonly string[];
  /** Number of records that the list needs for the defect to show. */
  readonly records: number;
  readonly needs: DefectNeeds;
  readonly difficulty: Difficulty;
  readonly apply: Change;
}

/** A defect as it is written down: what is left out has the usual value. */
export interface DefectDraft {
  readonly id: string;
  readonly sentence: string;
  readonly keywords: readonly string[];
  readonly must: readonly RequirementId[];
  readonly may?: readonly RequirementId[];
  readonly records?: number;
  readonly needs?: DefectNeeds;
  readonly difficulty: Difficulty;
  readonly apply: Change;
}

/** Number of records where a defect names none. */
export const DEFAULT_RECORDS = 1234;

/** Fills the gaps of a draft. */
export function defectOf(draft: DefectDraft): Defect {
  return {
    ...draft,
    may: draft.may ?? [],
    records: draft.records ?? DEFAULT_RECORDS,
    needs: draft.needs ?? {},
  };
}
