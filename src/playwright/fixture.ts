import { randomInt } from 'node:crypto';
import { test as base } from '@playwright/test';
import { suite } from '../../specs/suite.ts';
import { withReason } from '../core/cause-sentences.ts';
import type { RequirementResult, Suite } from '../core/results.ts';
import { printableLine } from '../core/visible-text.ts';
import { Redactor } from '../evidence/redaction/redactor.ts';
import { type Check, plan } from '../judge/check.ts';
import { judge } from '../judge/judge.ts';
import { loadCustomChecks, selectIds } from '../run/custom-checks.ts';
import { Session } from '../run/session.ts';
import { loadTargets } from '../target/load.ts';
import type { Target } from '../target/target.ts';
import { errorWithoutStack, failureOf, isFailure } from './breach-error.ts';
import { judgedIds, sourceLocation } from './run-plan.ts';

/** Options of the fixture: set them with `test.use` or in a project's `use`. */
export interface AssayOptions {
  /** A target, or the path of a target file; null for a target from the ASSAY_ variables. */
  readonly assayTarget: Target | string | null;
  /** The suite; `full` by default. */
  readonly assaySuite: Suite;
  /** The same seed sends the same requests; null draws one, which every failure reports. */
  readonly assaySeed: number | null;
}

/** Assay's checks in a test of Playwright. */
export interface Assay {
  readonly target: Target;
  /** The seed in use: `assaySeed`, or the drawn one. */
  readonly seed: number;
  /**
   * Tests requirements, each in a step of its own, and returns their results. An error, or a failure without a
   * waiver, fails the test with its evidence and a curl command. If one is inconclusive, or all are skipped, the
   * test is skipped with the cause. All tests of a worker share evidence. Throws an error if the globs select nothing.
   *
   * @param globs identifiers or globs such as `link/*`; custom checks begin with `x/`
   */
  judge(...globs: readonly string[]): Promise<readonly RequirementResult[]>;
}

/** What the tests of a worker share, as the declarations for users have it. */
interface WorkerContext {
  readonly target: Target;
  readonly seed: number;
}

interface WorkerState extends WorkerContext {
  readonly customChecks: readonly Check[];
  readonly session: Session;
}

/** Playwright's `test` with the fixture `assay`; combine it with your own fixtures with `mergeTests`. */
export const test = base.extend<{ assay: Assay }, AssayOptions & { assayJudging: WorkerContext }>({
  assayTarget: [null, { option: true, scope: 'worker' }],
  assaySuite: ['full', { option: true, scope: 'worker' }],
  assaySeed: [null, { option: true, scope: 'worker' }],
  assayJudging: [
    async ({ assayTarget, assaySuite, assaySeed }, use) => {
      const target = await targetOf(assayTarget);
      const seed = assaySeed ?? randomInt(2 ** 31);
      const session = new Session({
        target,
        options: { suite: assaySuite, seed, runs: null, expiry: false },
        redactor: new Redactor(),
        signal: null,
        environment: process.env,
      });
      const customChecks = await loadCustomChecks(target);
      const state: WorkerState = { target, seed, customChecks, session };
      await use(state);
      await session.close();
    },
    { scope: 'worker' },
  ],
  assay: async ({ assayJudging }, use, info) => {
    const { target, seed } = assayJudging;
    await use({
      target,
      seed,
      judge: async (...globs) => {
        const results = await judgeSelected(assayJudging as WorkerState, globs);
        for (const { id, verdict, reason } of results)
          info.annotations.push({
            type: id,
            description: printableLine(reason === null ? verdict : `${verdict}: ${reason}`),
          });
        const bad = results.filter(isFailure);
        if (bad.length > 0)
          throw errorWithoutStack('Error', `${bad.map(describeResult).join('\n\n')}\n\n(seed ${seed})`);
        const open = results.filter(({ verdict }) => verdict === 'inconclusive' || verdict === 'skipped');
        const isDecided = open.every(({ verdict }) => verdict === 'skipped') && open.length < results.length;
        // A passed test would claim that everything was tested.
        test.skip(!isDecided && open.length > 0, open.map(describeResult).join('\n'));
        return results;
      },
    });
  },
});

async function targetOf(named: Target | string | null): Promise<Target> {
  if (named !== null && typeof named !== 'string') return named;
  const files = named === null ? [] : [named];
  const [target] = (await loadTargets({ files, env: process.env })).targets;
  if (target === undefined) throw new Error('No target: set assayTarget or the ASSAY_ variables.');
  return target;
}

async function judgeSelected(
  { customChecks, session }: WorkerState,
  globs: readonly string[],
): Promise<readonly RequirementResult[]> {
  const customIds = customChecks.map(({ requirement }) => requirement.id);
  const ids = judgedIds(globs, customIds);
  const planned = [...plan(suite, session.inputs), ...plan(customChecks, session.customInputs)];
  const results: RequirementResult[] = [];
  for (const { check, input } of planned) {
    const { id, rule } = check.requirement;
    if (!ids.includes(id)) continue;
    const location = sourceLocation(check);
    const step = test.step(
      `${id}: ${rule}`,
      async () => {
        const result = withReason(await judge(check, input));
        results.push(result);
        if (isFailure(result)) throw failureOf(result);
      },
      location === undefined ? {} : { location },
    );
    // The other requirements are tested as well; then the test fails with all failures.
    await step.catch((error: unknown) => {
      if (results.at(-1)?.id !== id) throw error;
    });
  }
  return results;
}

function describeResult(result: RequirementResult): string {
  const { id, violations, reason } = result;
  return `${id}: ${violations.length === 0 ? printableLine(reason ?? '') : failureOf(result).message}`;
}

/**
 * Identifiers of the suite's requirements that match any of the globs, for example to declare a test for each. Throws
 * UserError for a glob without a match.
 */
export function requirementIds(...globs: readonly string[]): readonly string[] {
  const suiteIds: readonly string[] = suite.map(({ requirement }) => requirement.id);
  return selectIds(globs, []).filter((id) => suiteIds.includes(id));
}
