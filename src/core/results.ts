import type { Cause, JudgedCause } from './cause.ts';
import type { Outcome, Verdict } from './verdict.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One proven breach of a requirement. */
export interface ViolationRecord {
  /** One sentence: the request, the answer, the rule. */
  readonly message: string;
  readonly expected: Json;
  readonly actual: Json;
  /** The smallest case that shows the breach, if a property or a traversal found it. */
  readonly counterexample: { readonly [name: string]: Json } | null;
  /** Numbers of the exchanges that prove it. */
  readonly exchanges: readonly number[];
  /** A command line that reproduces the breach; secrets are shell variables. */
  readonly curl: string;
  /** Only with `--baseline`, if the earlier run has the same breach: it is accepted. */
  readonly known?: true;
}

/** An accepted deviation. */
export interface Waiver {
  readonly requirement: string;
  readonly reason: string;
  /** Last day on which it counts, `YYYY-MM-DD`. */
  readonly until: string;
}

/** A waiver with its state, attached to the failure that it covers. */
export interface AppliedWaiver extends Waiver {
  /** False after its last day. */
  readonly active: boolean;
}

/** The verdict on one requirement for one resource. */
export interface RequirementResult {
  readonly id: string;
  /** Null for requirements that concern no list. */
  readonly resource: string | null;
  readonly clause: readonly string[];
  readonly rule: string;
  readonly verdict: Verdict;
  /** One sentence; null for `pass` only. */
  readonly reason: string | null;
  /** Null for `pass` and `fail`, and in results of earlier versions, which had the reason only. */
  readonly cause: Cause | null;
  readonly waiver: AppliedWaiver | null;
  readonly violations: readonly ViolationRecord[];
  /** Number of exercised cases. */
  readonly cases: number;
  /** Number of requests that this requirement's check sent; requests of shared evidence count for one requirement. */
  readonly requests: number;
  /** Milliseconds during which at least one of these requests was in flight; 0 if all evidence is shared. */
  readonly durationMs: number;
}

/** `link/offset (printers)`: the identifier of a result, and its list if it concerns one. */
export function nameWithList({ id, resource }: Pick<RequirementResult, 'id' | 'resource'>): string {
  return resource === null ? id : `${id} (${resource})`;
}

/** A result before it is reported: its reason is made from the cause and the detail then. */
export interface JudgedResult extends Omit<RequirementResult, 'reason' | 'cause'> {
  readonly cause: JudgedCause | null;
  /** What was seen, as a clause; empty if the cause says everything. */
  readonly detail: string;
}

/** The behaviour of a provider where the specification leaves it open. */
export interface ObservationResult {
  readonly id: string;
  readonly resource: string | null;
  readonly value: string;
  /** True if it needs attention. */
  readonly attention: boolean;
  readonly detail: { readonly [name: string]: Json };
  readonly exchanges: readonly number[];
}

/** The load of a run on a provider. */
export interface Traffic {
  readonly requests: number;
  readonly retries: number;
  readonly bytesReceived: number;
  /** Requests per second that the provider accepts; missing if it never answered 429. */
  readonly acceptedRate?: number;
  /** When a provider that answered 429 can be called again, ISO 8601; missing unless it asked for a long wait. */
  readonly retryAt?: string;
  /** Milliseconds from the start of an answered request to the last byte, by percentile. */
  readonly latencyMs: {
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
    readonly max: number;
  };
}

/** The failures of a run, compared with those of an earlier one. */
export interface BaselineCounts {
  /** Identifier of the earlier run. */
  readonly run: string;
  readonly accepted: number;
  /** Failures that the earlier run did not have. */
  readonly new: number;
  /** Failures of the earlier run that did not occur although their requirement was tested. */
  readonly stale: number;
  /** Identifiers of the requirements with new failures. Absent in results of earlier versions. */
  readonly newIn?: readonly string[];
  /** Those with failures that did not occur. */
  readonly staleIn?: readonly string[];
}

/** How the clock of a provider may differ in the tests of token expiry. */
export interface ExpirySetting {
  /** Seconds after its expiry during which a token may still be accepted. */
  readonly toleranceSeconds: number;
  /** How many times faster the provider's clock runs; 1 except for mocks. */
  readonly clockRate: number;
}

/** The setting unless the target file changes it. */
export const DEFAULT_EXPIRY: ExpirySetting = { toleranceSeconds: 300, clockRate: 1 };

/** The product that a provider runs, from its target file. */
export interface Product {
  readonly name: string;
  readonly version: string;
}

export interface TargetResult {
  readonly name: string;
  readonly authUrl: string;
  readonly baseUrl: string;
  /** Path of its target file relative to the working folder, with slashes; only if it has one. */
  readonly file?: string;
  /** Only if the target file names it. */
  readonly product?: Product;
  /** Only if the target file changes it. */
  readonly expiry?: ExpirySetting;
  readonly outcome: Outcome;
  /** Records per resource; null if they could not be counted. */
  readonly records: { readonly [resource: string]: number | null };
  readonly requirements: readonly RequirementResult[];
  readonly observations: readonly ObservationResult[];
  readonly traffic: Traffic;
}

/** How much of the suite a run covers, the smallest first. */
export const SUITES = ['smoke', 'full', 'certify'] as const;

export type Suite = (typeof SUITES)[number];

/** One part of a run that several processes share. */
export interface Shard {
  /** Number of this part, from 1. */
  readonly index: number;
  readonly of: number;
  /**
   * Only if Playwright divided the targets and this shard has any: SHA-256 of the names of all targets of the
   * run, one per line, in hexadecimal. Such a shard contains adjacent targets; a shard of `assay run`
   * contains every N-th target.
   */
  readonly targets?: string;
  /**
   * Only if `assay run` divided the targets: SHA-256 of the paths of all target files of the run relative to
   * their common folder, one per line, in hexadecimal.
   */
  readonly files?: string;
}

/** The Assay that made a file, and its Node.js. */
export interface Tool {
  readonly name: 'assay';
  readonly version: string;
  readonly node: string;
}

/** results.json. */
export interface Results {
  readonly format: 'assay-results/1';
  readonly tool: Tool;
  readonly run: {
    readonly id: string;
    readonly startedAt: string;
    readonly finishedAt: string;
    readonly suite: Suite;
    readonly seed: number;
    /** False if the run was interrupted or a shard is missing. */
    readonly complete: boolean;
    /** The command line, secrets removed. */
    readonly command: string;
    /** Issuer of the certification; only with `--issuer`. */
    readonly issuer?: string;
    /** Only if the run is a shard. */
    readonly shard?: Shard;
    /** Only with `--baseline`. */
    readonly baseline?: BaselineCounts;
    /** Only if the run is inconclusive and that is allowed: `--allow-inconclusive`. */
    readonly allowInconclusive?: true;
  };
  readonly outcome: Outcome;
  readonly targets: readonly TargetResult[];
}

export type RunEvent =
  | {
      readonly type: 'target-started';
      readonly target: string;
      readonly requirements: number;
      /** How many of them are selected; those that block a selected one are added during the run. */
      readonly selected: number;
    }
  | {
      readonly type: 'progress';
      readonly target: string;
      readonly requests: number;
      readonly pages: number;
      readonly records: number;
    }
  | { readonly type: 'verdict'; readonly target: string; readonly result: RequirementResult }
  | { readonly type: 'target-finished'; readonly target: string; readonly result: TargetResult };

/** Name of the embedded reference provider, which is tested if no target is named. */
export const REFERENCE_NAME = 'reference-provider';

/** Whether a run tested the embedded reference provider. A target file can use its name, but is recorded with its path. */
export function testsReferenceProvider({ targets }: Pick<Results, 'targets'>): boolean {
  return targets.some(isReferenceProvider);
}

export function isReferenceProvider({ name, file }: Pick<TargetResult, 'name' | 'file'>): boolean {
  return name === REFERENCE_NAME && file === undefined;
}
