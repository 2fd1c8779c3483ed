import type { Results, TargetResult } from './results.ts';

/** Name of the embedded reference provider, which is tested if no target is named. */
export const REFERENCE_NAME = 'reference-provider';

/** Whether a run tested the embedded reference provider. A target file can use its name, but is recorded with its path. */
export function testsReferenceProvider({ targets }: Pick<Results, 'targets'>): boolean {
  return targets.some(isReferenceProvider);
}

/** Whether a target is the embedded reference provider. */
export function isReferenceProvider({ name, file }: Pick<TargetResult, 'name' | 'file'>): boolean {
  return name === REFERENCE_NAME && file === undefined;
}
