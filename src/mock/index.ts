export type { Defect, DefectNeeds, Difficulty, Variant } from './catalogue-rows.ts';
export { defects, findDefect, SWEEP_KINDS, type SweepKind, sweepDefect } from './defects/index.ts';
export type { Control, MockOptions } from './options.ts';
export type { Steps } from './pipeline.ts';
export type { LogLine } from './request-log.ts';
export type { Credentials, Resource, Tokens } from './scenario/scenario.ts';
export { type Latency, PERCENTILES, type Range, type Scenario } from './scenario/scenario.ts';
export { type Mock, startMock } from './server.ts';
export { findVariant, variants } from './variants/index.ts';
