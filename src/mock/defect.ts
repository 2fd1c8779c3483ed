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

/** A defect of a group: what it does not have in common with the others. */
export type Row = Pick<DefectDraft, 'sentence' | 'apply'> & Partial<DefectDraft>;

/** Begins a row of {@link defectsWith}: `plain('The answer is empty.').by(change)`. */
type RowStart = (sentence: string) => {
  readonly by: (apply: Change, more?: Partial<DefectDraft>) => Row;
};

function rowsOf(difficulty: Difficulty): RowStart {
  return (sentence) => ({ by: (apply, more) => ({ sentence, apply, difficulty, ...more }) });
}

export const plain = rowsOf('plain');
export const hidden = rowsOf('hidden');
export const subtle = rowsOf('subtle');

/** Rows that break one requirement and whose violations are named by the keywords. */
export function breach(
  must: RequirementId,
  keywords: readonly string[],
): (sentence: string, apply: Change, more?: Partial<DefectDraft>) => DefectDraft {
  return (sentence, apply, more) => ({ sentence, keywords, must: [must], apply, ...more });
}

/** The defects of a group, in the same order; the members of a row take precedence over the common ones. */
export function defectsWith(
  common: Pick<DefectDraft, 'keywords' | 'must'> & Partial<DefectDraft>,
): (rows: Readonly<Record<string, Row>>) => readonly Defect[] {
  return (rows) => Object.entries(rows).map(([id, row]) => defectOf(id, { ...common, ...row }));
}

/** The defects of drafts that are named by their identifiers, in the same order. */
export function defectsOf(drafts: Readonly<Record<string, DefectDraft>>): readonly Defect[] {
  return Object.entries(drafts).map(([id, draft]) => defectOf(id, draft));
}
