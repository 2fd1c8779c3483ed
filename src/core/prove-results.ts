import type { Cause } from './cause.ts';
import type { Verdict } from './verdict.ts';

/** How hard a defect is to find: at first sight, only when looked for, or only in a corner. */
export type ProvenDifficulty = 'plain' | 'hidden' | 'subtle';

/** What became of a defect: every requirement it breaks failed and no other, or what went wrong. */
export type DefectFate = 'killed' | 'escaped' | 'false' | 'error';

/** What became of a conforming variant: nothing failed and nothing erred, or what went wrong. */
export type VariantFate = 'cleared' | 'accused' | 'error';

/** A requirement with the sentence that its verdict gave. */
export interface ReportedVerdict {
  readonly requirement: string;
  /** Null for providers that serve one list, and for requirements that concern none. */
  readonly resource: string | null;
  readonly verdict: Verdict;
  /** Why it is neither `pass` nor `fail`; null where it is, and in proofs of earlier versions. */
  readonly cause?: Cause | null;
  readonly sentence: string;
}

/** What every judged provider has in common. */
interface ProvenProvider {
  readonly id: string;
  readonly sentence: string;
  /** Requirements that could not be carried out; a provider that never came to an end has one with no requirement. */
  readonly errors: readonly ReportedVerdict[];
  readonly requests: number;
  readonly durationMs: number;
}

/** One row of the matrix: a defect, and what the suite made of it. */
export interface ProvenDefect extends ProvenProvider {
  readonly difficulty: ProvenDifficulty;
  readonly must: readonly string[];
  readonly may: readonly string[];
  readonly fate: DefectFate;
  /** Requirements that must fail, and did. */
  readonly killedBy: readonly ReportedVerdict[];
  /** Requirements that may fail, and did. */
  readonly alsoFailed: readonly ReportedVerdict[];
  /** Requirements that must fail, and did not. */
  readonly escaped: readonly ReportedVerdict[];
  /** Requirements that failed although the defect breaks neither them nor what they rest on. */
  readonly falselyFailed: readonly ReportedVerdict[];
}

/** A conforming variant, and what the suite made of it. */
export interface ProvenVariant extends ProvenProvider {
  /** Its data changes while it is read. */
  readonly living: boolean;
  readonly fate: VariantFate;
  readonly failed: readonly ReportedVerdict[];
  /** Requirements that could not be judged on it. */
  readonly inconclusive: readonly string[];
}

/** Several defects in one provider, and whether each of them was named. */
export interface ProvenCombination extends ProvenProvider {
  readonly defects: readonly string[];
  readonly fate: DefectFate;
  readonly killedBy: readonly string[];
  /** Causes that another member hides, with the declared reason. */
  readonly masked: readonly { readonly defect: string; readonly requirement: string; readonly why: string }[];
  readonly escaped: readonly ReportedVerdict[];
  readonly falselyFailed: readonly ReportedVerdict[];
}

/** For how many page sizes a defect that shows at one size only is found by one setting of the suite. */
export interface SweepRow {
  /** What was planted: one record too many, one too few, one skipped, one counted too many. */
  readonly kind: string;
  /** The requirement that names it. */
  readonly requirement: string;
  readonly suite: 'full' | 'certify';
  /** `--runs`; null for the suite's own number of cases. */
  readonly runs: number | null;
  /** Sizes at which it can be planted. */
  readonly planted: number;
  /** Of those, the sizes that a run with this setting asks for, as the provider saw it. */
  readonly tried: number;
  readonly found: number;
  /** Those found by a run with this very setting; the others by a run that tried fewer sizes, this one among them. */
  readonly direct: number;
  /** Sizes where defects live: boundaries, powers of two and ten, divisors, and their neighbours. */
  readonly likely: number;
  readonly likelyFound: number;
  /** The sizes at which it is not found. */
  readonly missed: readonly number[];
  /** Sizes at which anything failed that nothing planted breaks. */
  readonly falselyFailed: readonly number[];
  /** Requests of a run with this setting that finds nothing, with the checks concerned alone. */
  readonly requests: number;
}

/** How many of a group were dealt with as they should be. */
export interface ProvenGroup {
  readonly name: string;
  readonly total: number;
  readonly killed: number;
  readonly escaped: number;
  readonly false: number;
  readonly errors: number;
}

/** prove.json: what the harness is worth, measured on providers whose faults are known. */
export interface ProveResults {
  readonly format: 'assay-prove/1';
  readonly tool: {
    readonly name: 'assay';
    readonly version: string;
    readonly node: string;
    /** SHA-256 over Assay's own files, as in a run's manifest; null where nobody looked. */
    readonly package: string | null;
  };
  readonly run: {
    readonly id: string;
    readonly startedAt: string;
    readonly finishedAt: string;
    readonly seed: number;
    /** Processes that judged at a time. */
    readonly jobs: number;
    /** Globs that chose what was judged; empty for everything. */
    readonly only: readonly string[];
    readonly complete: boolean;
    readonly command: string;
  };
  /** True where no defect escaped, nothing failed falsely and no variant was accused. */
  readonly proven: boolean;
  readonly totals: {
    readonly defects: ProvenGroup;
    readonly chapters: readonly ProvenGroup[];
    readonly difficulties: readonly ProvenGroup[];
    readonly combinations: ProvenGroup;
    readonly variants: {
      readonly total: number;
      readonly cleared: number;
      readonly accused: number;
      readonly errors: number;
    };
  };
  readonly defects: readonly ProvenDefect[];
  readonly variants: readonly ProvenVariant[];
  /** Pairs and triples of defects, where asked for. */
  readonly combinations: readonly ProvenCombination[];
  /** Sensitivity to defects of one page size, where asked for. */
  readonly sweep: readonly SweepRow[];
}
