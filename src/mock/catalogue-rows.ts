import type { RequirementId } from '../core/requirement-id.ts';
import { type Change, composeChanges } from './changes.ts';
import type { MockOptions } from './options.ts';

/** What a run must provide for a defect to show. */
export interface DefectNeeds {
  /** The expiry suite: the run waits for a token to expire. */
  readonly expiry?: true;
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
}

/** How hard a defect is to find: visible at once, visible to a specific check, or visible in an edge case only. */
export type Difficulty = 'plain' | 'hidden' | 'subtle';

/** What a defect breaks, and what it needs to show. */
interface AllTraits<Id extends string> {
  /** Lower-case words that a violation's message must contain to name this cause. */
  readonly keywords: readonly string[];
  /** Requirements that must fail. */
  readonly must: readonly Id[];
  /** Requirements that may fail as well, because the breach also violates them. */
  readonly may: readonly Id[];
  /** Number of records that the list needs for the defect to show. */
  readonly records: number;
  readonly needs: DefectNeeds;
}

/** The traits that a table of defects or one of its rows states. */
export type Traits = Partial<AllTraits<RequirementId>>;

/** A deliberate breach that the reference provider can be started with. */
export interface Defect extends AllTraits<string> {
  readonly id: string;
  /** One sentence that describes the breach. */
  readonly sentence: string;
  readonly difficulty: Difficulty;
  readonly apply: Change;
}

/** A row of a table of defects: what it does not have in common with the others. */
export type Row = Pick<Defect, 'sentence' | 'difficulty' | 'apply'> & Traits;

/** Ends a row: `by` takes its changes, the first made first. */
interface Begun<Ended> {
  readonly by: (...changes: readonly Change[]) => Ended;
}

/** Begins rows that share traits: `start.plain('The answer is empty.').by(change)`. */
interface RowStart extends Readonly<Record<Difficulty, (sentence: string) => Begun<Row>>> {
  /** Begins rows that share further traits as well. */
  readonly having: (more: Traits) => RowStart;
}

/** Begins rows with traits of their own. */
export function having(traits: Traits): RowStart {
  const rowOf = (difficulty: Difficulty) => (sentence: string) => ({
    by: (...changes: readonly Change[]) => ({
      sentence,
      difficulty,
      ...traits,
      apply: composeChanges(...changes),
    }),
  });
  return {
    plain: rowOf('plain'),
    hidden: rowOf('hidden'),
    subtle: rowOf('subtle'),
    having: (more) => having({ ...traits, ...more }),
  };
}

/** For defects that show only in the order in which a whole suite sends its requests. */
export const wholeSuiteInOrder = { needs: { wholeSuite: true, order: true } } satisfies Traits;

/** The sentence of a defect that accepts such a token. */
export function unissued(token: string): string {
  return `A token that was not issued is accepted: ${token}`;
}

/** Begins a row without traits of its own. */
export const { plain, hidden, subtle } = having({});

const DEFAULTS: AllTraits<string> = { keywords: [], must: [], may: [], records: 1234, needs: {} };

/** The defects of a table, in the same order; the traits of a row take precedence over the common ones. */
export function defectsWith(common: Traits): (rows: Readonly<Record<string, Row>>) => readonly Defect[] {
  return (rows) => Object.entries(rows).map(([id, row]) => ({ id, ...DEFAULTS, ...common, ...row }));
}

/** Records that are enough for defects that show rarely. */
const FEW_RECORDS = 20;

/** As `defectsWith`, for rare requests only, too many for one run: a full run draws some of them by its seed. */
export function rareDefectsWith(common: Traits): ReturnType<typeof defectsWith> {
  return (rows) =>
    defectsWith(common)(rows).map((defect) => ({
      ...defect,
      records: FEW_RECORDS,
      needs: { ...defect.needs, suite: 'certify' },
    }));
}

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

type VariantTraits = Pick<Variant, 'records' | 'options' | 'living'>;

export type VariantRow = Pick<Variant, 'sentence' | 'apply'> & VariantTraits;

/** Begins a row: `variant('The list is empty.', { records: 0 }).by(change)`. Without a change, only its options are unusual. */
export function variant(sentence: string, own?: VariantTraits): Begun<VariantRow> {
  return { by: (...changes) => ({ sentence, ...own, apply: composeChanges(...changes) }) };
}

/** The variants of a table, in the same order; the traits of a row take precedence over the common ones. */
export function variantsWith(
  common: VariantTraits,
): (rows: Readonly<Record<string, VariantRow>>) => readonly Variant[] {
  return (rows) => Object.entries(rows).map(([id, row]) => ({ id, ...common, ...row }));
}

/** The variants of a table that have nothing in common. */
export const variantsOf = variantsWith({});
