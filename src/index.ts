/** Assay as a library: judge a provider from any program or test runner, and write checks of your own. */
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
export type { About, Answer, Breach, Findings } from './extend/about.ts';
export { type Cases, check, type Looks, list, property, token } from './extend/check.ts';
export type { ListLook, Placed, Query } from './extend/list-look.ts';
export type { TokenLook } from './extend/token-look.ts';
export type { Check } from './judge/check.ts';
export { conform, type JudgingOptions } from './library.ts';
export { type Mock, type MockOptions, startMock } from './mock/index.ts';
export { makeTarget, type TargetParts } from './target/make.ts';
export type { Resource, Target } from './target/target.ts';
