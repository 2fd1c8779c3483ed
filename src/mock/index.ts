export type { Defect, DefectNeeds, Difficulty } from './defect.ts';
export { defects, findDefect } from './defects/index.ts';
export { type SweepKind, sweepDefect } from './defects/sweep.ts';
export type { Credentials, MockOptions, Resource, Tokens } from './options.ts';
export { type Mock, startMock } from './server.ts';
export type { Steps } from './steps.ts';
export type { Variant } from './variant.ts';
export { findVariant, variants } from './variants/index.ts';
