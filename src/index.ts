/** Assay as a library: judge a provider from any program or test runner. */
export type {
  RequirementResult,
  Results,
  RunEvent,
  Suite,
  TargetResult,
  ViolationRecord,
} from './core/results.ts';
export type { Outcome, Verdict } from './core/verdict.ts';
export { type ConformOptions, conform } from './run/conform.ts';
export { makeTarget, type TargetParts } from './target/make.ts';
export type { Target } from './target/target.ts';
