import type { RequirementId } from '../core/requirement-id.ts';
import type { Change } from './pipeline.ts';

/** What a run must provide for a defect to show. */
export interface DefectNeeds {
  /** The expiry suite: the run waits for a token to expire. */
  readonly expiry?: true;
  /** The provider's clock must run this many times faster. */
  readonly clockRate?: number;
  /** The provider must be started with tokens of this form. */
  readonly tokens?: 'jwt' | 'opaque';
  /** The suite that always sends what shows the defect, if `full` sends it with some seeds only. */
  readonly suite?: 'certify';
  /** The run must select every requirement: with one alone the defect does not show. */
  readonly wholeSuite?: true;
  /** The run must make its observations, which send the requests that show the defect. */
  readonly observations?: true;
  /** Certain requests in a certain order, number or time, which another defect of the same provider would change. */
  readonly order?: true;
  /** The target must name the second provider's credentials. */
  readonly otherCredentials?: true;
}

/** How hard a defect is to find: visible at once, visible to a specific check, or visible in an edge case only. */
export type Difficulty = 'plain' | 'hidden' | 'subtle';

/** A deliberate breach that the reference provider can be started with. */
export interface Defect {
  readonly id: string;
  /** One sentence that describes the breach. */
  readonly sentence: string;
  /** Lower-case words that a violation's message must contain to name this cause. */
  readonly keywords: readonly string[];
  /** Requirements that must fail. */
  readonly must: readonly string[];
  /** Requirements that may fail as well, because the breach also violates them. */
  readonly may: readonly string[];
  /** Number of records that the list needs for the defect to show. */
  readonly records: number;
  readonly needs: DefectNeeds;
  readonly difficulty: Difficulty;
  readonly apply: Change;
}

/** A defect without its identifier, and with optional members; `defectOf` adds the defaults. */
export interface DefectDraft extends Pick<Defect, 'sentence' | 'keywords' | 'apply'> {
  readonly must: readonly RequirementId[];
  readonly may?: readonly RequirementId[];
  readonly records?: number;
  readonly needs?: DefectNeeds;
  /** `subtle` unless given. */
  readonly difficulty?: Difficulty;
}

/** Number of records unless a defect sets it. */
const DEFAULT_RECORDS = 1234;

/** Adds the identifier and the defaults to a draft. */
export function defectOf(id: string, draft: DefectDraft): Defect {
  return {
    id,
    ...draft,
    may: draft.may ?? [],
    records: draft.records ?? DEFAULT_RECORDS,
    needs: draft.needs ?? {},
    difficulty: draft.difficulty ?? 'subtle',
  };
}

/** A draft of a group of defects that has some members in common. */
export type DraftWithout<Shared extends keyof DefectDraft> = Omit<DefectDraft, Shared> & Partial<DefectDraft>;

/** Like {@link defectsOf}, for drafts with common members; the members of a draft take precedence. */
export function defectsWith<Shared extends Partial<DefectDraft>>(
  shared: Shared,
  drafts: Readonly<Record<string, DraftWithout<keyof Shared & keyof DefectDraft>>>,
): readonly Defect[] {
  const entries = Object.entries(drafts).map(([id, draft]) => [id, { ...shared, ...draft }]);
  return defectsOf(Object.fromEntries(entries) as Readonly<Record<string, DefectDraft>>);
}

/** The defects of drafts that are named by their identifiers, in the same order. */
export function defectsOf(drafts: Readonly<Record<string, DefectDraft>>): readonly Defect[] {
  return Object.entries(drafts).map(([id, draft]) => defectOf(id, draft));
}
