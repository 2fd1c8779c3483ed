/** Assay as a library: test a provider from any program or test runner, and write custom checks. */
export type {
  ObservationResult,
  RequirementResult,
  Results,
  RunEvent,
  Suite,
  TargetResult,
  ViolationRecord,
} from './core/results.ts';
export type { Outcome, Verdict } from './core/verdict.ts';
export { type Cases, check, list, property, token } from './judge/custom/check.ts';
export type {
  About,
  Answer,
  Breach,
  CustomCheck,
  Findings,
  ListSnapshot,
  Placed,
  ProviderSnapshot,
  Query,
  TokenSnapshot,
} from './judge/custom/check-types.ts';
export { conform, type JudgingOptions } from './library.ts';
export type { MockOptions } from './mock/options.ts';
export { type Mock, startMock } from './mock/server.ts';
export { makeTarget, type TargetParts } from './target/make.ts';
export type { Resource, Target } from './target/target.ts';
