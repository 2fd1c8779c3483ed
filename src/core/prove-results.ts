import type { Cause } from './cause.ts';
import type { Tool } from './results.ts';
import type { Verdict } from './verdict.ts';

/**
 * How hard a defect is to find: `plain` shows in most answers, `hidden` only in targeted requests, `subtle`
 * only in rare cases.
 */
type ProvenDifficulty = 'plain' | 'hidden' | 'subtle';

/** The result for a defect: `killed` if exactly the expected requirements failed, or what went wrong. */
type DefectFate = 'killed' | 'escaped' | 'false' | 'error';

/** The result for a conforming variant: `cleared` without failures and errors, or what went wrong. */
type VariantFate = 'cleared' | 'accused' | 'error';

/** The verdict on a requirement, with its sentence. */
export interface ReportedVerdict {
  readonly requirement: string;
  /** Null for providers with one list, and for requirements that are not about a list. */
  readonly resource: string | null;
  readonly verdict: Verdict;
  /** Why it is neither `pass` nor `fail`; null for those two and in proofs of earlier versions. */
  readonly cause?: Cause | null;
  readonly sentence: string;
}

interface ProvenProvider {
  readonly id: string;
  readonly sentence: string;
  /** Checks with errors; a trial that did not finish has one with the requirement `*`. */
  readonly errors: readonly ReportedVerdict[];
  readonly requests: number;
  readonly durationMs: number;
}

/** One row of the matrix: a defect and the result of the suite. */
export interface ProvenDefect extends ProvenProvider {
  /** Present if certain requests in a certain order, number or time show it, and no single one does. */
  readonly stateful?: true;
  readonly difficulty: ProvenDifficulty;
  /** Certify for a defect that a full run finds with some seeds only; absent otherwise. */
  readonly suite?: 'certify';
  readonly must: readonly string[];
  readonly may: readonly string[];
  readonly fate: DefectFate;
  /** Requirements that must fail, and did. */
  readonly killedBy: readonly ReportedVerdict[];
  /** Requirements that may fail, and did. */
  readonly alsoFailed: readonly ReportedVerdict[];
  /** Requirements that must fail, and did not. */
  readonly escaped: readonly ReportedVerdict[];
  /** Requirements that failed although the defect does not break them. */
  readonly falselyFailed: readonly ReportedVerdict[];
}

/** A conforming variant and the result of the suite. */
export interface ProvenVariant extends ProvenProvider {
  /** Whether its data changes during the run. */
  readonly living: boolean;
  readonly fate: VariantFate;
  readonly failed: readonly ReportedVerdict[];
  /** Requirements without a verdict. */
  readonly inconclusive: readonly string[];
}

/** Several defects in one provider, and whether each of them was found. */
export interface ProvenCombination extends ProvenProvider {
  readonly defects: readonly string[];
  readonly fate: DefectFate;
  readonly killedBy: readonly string[];
  /** Defects that another member masks, with the reason. */
  readonly masked: readonly { readonly defect: string; readonly requirement: string; readonly why: string }[];
  readonly escaped: readonly ReportedVerdict[];
  readonly falselyFailed: readonly ReportedVerdict[];
}

/** The number of page sizes at which a suite setting finds a defect that occurs at a single size. */
export interface SweepRow {
  /** The kind of defect: one record too many, one too few, one skipped, one counted too many. */
  readonly kind: string;
  /** The requirement that finds it. */
  readonly requirement: string;
  readonly suite: 'full' | 'certify';
  /** `--runs`; null for the default of the suite. */
  readonly runs: number | null;
  /** Number of sizes at which it was planted. */
  readonly planted: number;
  readonly found: number;
  /** The sizes at which it is not found. */
  readonly missed: readonly number[];
  /** Sizes at which a requirement failed that no defect breaks. */
  readonly falselyFailed: readonly number[];
  /** Requests of the longest of these runs. */
  readonly requests: number;
}

/** The results of a group of defects. */
export interface ProvenGroup {
  readonly name: string;
  readonly total: number;
  readonly killed: number;
  readonly escaped: number;
  readonly false: number;
  readonly errors: number;
}

/** prove.json: the sensitivity of the harness, measured on providers with known defects. */
export interface ProveResults {
  readonly format: 'assay-prove/1';
  /** `package` is the SHA-256 of Assay's own files, as in a run's manifest; null if not computed. */
  readonly tool: Tool & { readonly package: string | null };
  readonly run: {
    readonly id: string;
    readonly startedAt: string;
    readonly finishedAt: string;
    readonly seed: number;
    /** Number of threads. */
    readonly jobs: number;
    /** Selected globs; empty for everything. */
    readonly only: readonly string[];
    readonly complete: boolean;
    readonly command: string;
  };
  /** True if something was tested, no defect escaped, nothing failed falsely and no variant was accused. */
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
  /** Pairs and triples of defects, if requested. */
  readonly combinations: readonly ProvenCombination[];
  /** Sensitivity to defects of one page size, if requested. */
  readonly sweep: readonly SweepRow[];
}
