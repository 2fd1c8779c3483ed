import { onTestFinished } from 'vitest';
import type { ObservationResult, RequirementResult, Suite, TargetResult } from '../../src/core/results.ts';
import type { Verdict } from '../../src/core/verdict.ts';
import { Redactor } from '../../src/evidence/redaction/redactor.ts';
import type { Check } from '../../src/judge/check.ts';
import { type Mock, type MockOptions, startMock } from '../../src/mock/index.ts';
import { conform } from '../../src/run/conform.ts';
import { Session } from '../../src/run/session.ts';
import { makeTarget, type TargetParts } from '../../src/target/make.ts';
import type { Target } from '../../src/target/target.ts';
import { type Behaviour, type Interception, startFront } from './hostile/altering-proxy.ts';
import { runOptions } from './run-options.ts';

/** Starts a mock that is closed when the current test is finished; not for concurrent tests. */
export async function openMock(options: MockOptions = {}): Promise<Mock> {
  const mock = await startMock(options);
  onTestFinished(() => mock.close());
  return mock;
}

/** Runs work with the token client of a session, which is closed after it. */
export async function withTokens<Result>(
  target: Target,
  work: (tokens: Session['inputs'][number]['tokens'], session: Session) => Promise<Result>,
): Promise<Result> {
  const redactor = new Redactor();
  const session = new Session({ target, options: runOptions(), redactor, signal: null, environment: {} });
  try {
    const [input] = session.inputs;
    if (input === undefined) throw new Error('the target has no list');
    return await work(input.tokens, session);
  } finally {
    await session.close();
  }
}

/** Starts a server in front of a mock for the current test; not for concurrent tests. Returns its origin. */
export async function openFront(mock: Mock, behaviour: Behaviour): Promise<string> {
  const front = await startFront({ behind: mock.baseUrl, behaviour });
  onTestFinished(() => front.close());
  return front.origin;
}

/** A target for a mock, without rate limits. */
export function targetOf(mock: Mock, parts: Partial<TargetParts> = {}): Target {
  const { authUrl, baseUrl, tenant, credentials, otherCredentials } = mock;
  return makeTarget({
    name: 'mock',
    authUrl,
    baseUrl,
    tenant,
    credentials,
    otherCredentials,
    ...parts,
    limits: { requestsPerSecond: 100_000, concurrency: 8, ...parts.limits },
  });
}

export interface Judging {
  readonly suite?: Suite;
  readonly seed?: number;
  readonly expiry?: boolean;
  readonly only?: readonly string[];
  readonly target?: Partial<TargetParts>;
  readonly checks?: readonly Check[];
}

/** Tests a target in this process. */
export async function judgeTarget(target: Target, judging: Judging = {}): Promise<TargetResult> {
  const results = await conform(
    [target],
    runOptions({
      suite: judging.suite ?? 'full',
      only: judging.only ?? [],
      seed: judging.seed ?? 42,
      expiry: judging.expiry ?? false,
      ...(judging.checks === undefined ? {} : { checks: judging.checks }),
    }),
  );
  return results.targets[0] as TargetResult;
}

/** Tests a mock behind a server that alters its answers, and its requests before they are forwarded. */
export async function judgeBehind(
  mock: Mock,
  behaviour: Behaviour,
  options: Judging & Interception = {},
): Promise<TargetResult> {
  const front = await startFront({ ...options, behind: mock.baseUrl, behaviour });
  try {
    const parts = { authUrl: front.origin, baseUrl: front.origin, ...options.target };
    return await judgeTarget(targetOf(mock, parts), options);
  } finally {
    await front.close();
  }
}

/** Starts a mock, tests it and stops it. */
export async function judgeMock(
  options: MockOptions,
  judging: Judging = {},
): Promise<TargetResult & { readonly received: number }> {
  const mock = await startMock(options);
  try {
    const rate = options.clockRate ?? 1;
    const target = targetOf(mock, { expiry: { clockRate: rate }, ...judging.target });
    return { ...(await judgeTarget(target, judging)), received: mock.requests() };
  } finally {
    await mock.close();
  }
}

/** Identifiers with a verdict, in catalogue order. */
export function withVerdict(result: TargetResult, ...verdicts: readonly Verdict[]): readonly string[] {
  return result.requirements.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id);
}

/** The result of one requirement. */
export function requirementOf(result: TargetResult, id: string): RequirementResult {
  const found = result.requirements.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no result for ${id}`);
  return found;
}

/** An observation by its name. */
export function observed(result: TargetResult, name: string): ObservationResult {
  const found = result.observations.find(({ id }) => id === `observe/${name}`);
  if (found === undefined) throw new Error(`${name} was not observed`);
  return found;
}

/** The verdict of every requirement, by its identifier. */
export function verdictsOf({
  requirements,
}: Pick<TargetResult, 'requirements'>): Readonly<Record<string, Verdict>> {
  return Object.fromEntries(requirements.map(({ id, verdict }) => [id, verdict]));
}
