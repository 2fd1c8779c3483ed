import { expect } from 'vitest';
import type { RequirementResult, Results } from '../../src/core/results.ts';
import { type CustomCheck, conform, type MockOptions } from '../../src/index.ts';
import type { TargetParts } from '../../src/target/make.ts';
import { openMock, targetOf } from './judge-mock.ts';

export const ABOUT = { rule: 'A rule of ours.' };

interface Given {
  readonly mock?: MockOptions;
  readonly target?: Partial<TargetParts>;
  readonly only?: readonly string[];
  readonly evidenceFile?: string;
  readonly signal?: AbortSignal;
}

/** Runs custom checks against a mock. */
export async function judged(checks: readonly CustomCheck[], given: Given = {}): Promise<Results> {
  const mock = await openMock({ records: 30, ...given.mock });
  const { only = ['x/*'], evidenceFile = null, signal = null } = given;
  return conform(targetOf(mock, given.target ?? {}), { checks, only, seed: 5, evidenceFile, signal });
}

/** The result of the single custom check. */
export async function resultOf(one: CustomCheck, given: Given = {}): Promise<RequirementResult> {
  const { targets } = await judged([one], given);
  const found = targets[0]?.requirements.filter(({ id }) => id.startsWith('x/')) ?? [];
  expect(found).toHaveLength(1);
  return found[0] as RequirementResult;
}
