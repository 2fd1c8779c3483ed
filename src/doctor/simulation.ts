import { requirement } from '../../specs/catalogue.ts';
import type { RequirementResult, Suite } from '../core/results.ts';
import { Redactor } from '../evidence/redactor.ts';
import { HttpClient } from '../http/http-client.ts';
import { startMock, type Tokens } from '../mock/index.ts';
import { conform } from '../run/conform.ts';
import type { Line, LineParts } from '../run/session.ts';
import { makeTarget, originsOf } from '../target/make.ts';
import type { Target } from '../target/target.ts';
import { SimulatedClock } from './simulated-clock.ts';

/** What is known of a provider that decides how much is asked of it. */
export interface SimulationInput {
  readonly target: Target;
  /** Records of each list, in the order of the target's. */
  readonly records: readonly number[];
  readonly tokens: Tokens;
  readonly suite: Suite;
  readonly seed: number;
  readonly expiry: boolean;
  readonly signal: AbortSignal | null;
}

/** What a suite came to on a provider that keeps every rule. */
export interface Simulation {
  readonly requests: number;
  /** Milliseconds spent waiting for a token to expire. */
  readonly waitedMs: number;
  /** Requirements that could not be judged, with the reason. */
  readonly open: readonly RequirementResult[];
}

/**
 * Runs a suite against a provider of our own that resembles the target and keeps every rule, and counts. The same
 * checks, seed and probes ask the same questions, so the count is that of a real run that no bound on requests cuts
 * short; waiting takes no time.
 * Checks of the user's own are left out: they know the target's data, and that provider has other data.
 */
export async function simulateRun(rehearsed: SimulationInput): Promise<Simulation> {
  const clock = new SimulatedClock();
  const { target, suite, seed, expiry, signal } = rehearsed;
  const mock = await startMock({
    clock: () => clock.now(),
    tokens: rehearsed.tokens,
    basePath: new URL(target.baseUrl).pathname.replace(/\/+$/u, ''),
    credentials: target.credentials,
    ...(target.otherCredentials === null ? {} : { otherCredentials: target.otherCredentials }),
    resources: target.resources.map(({ path }, index) => ({ path, records: rehearsed.records[index] ?? 0 })),
  });
  try {
    const double = makeTarget({
      ...target,
      authUrl: mock.authUrl,
      baseUrl: mock.baseUrl,
      expiredToken: target.expiredToken === null ? null : mock.expiredToken,
      resources: target.resources.map((list) => ({ ...list, itemSchema: 'printer', idField: 'id' })),
      // Where the bound on requests cuts a run short, the order of answers decides where; it is put on afterwards.
      limits: { ...target.limits, requestsPerSecond: 1_000_000, maxRequests: Number.MAX_SAFE_INTEGER },
      expiry: { ...target.expiry, clockRate: 1 },
      evidence: 'full',
      checks: [],
      tls: {},
      waivers: [],
    });
    let toCome = 0;
    const waiting = target.expiredToken === null ? 2 : 1;
    const results = await conform([double], {
      suite,
      only: [],
      skip: [],
      seed,
      runs: null,
      expiry,
      command: '',
      runId: 'rehearsal',
      evidenceFile: null,
      listener: (event) => {
        if (event.type === 'target-started') toCome = event.requirements;
        // Time may pass once nobody but those who wait for it is still at work.
        if (event.type === 'verdict' && --toCome <= waiting) clock.letGo();
      },
      signal,
      environment: {},
      replay: {
        connect: (parts) => simulatedLine(parts, double, clock, signal),
        clock,
        redactor: new Redactor(),
      },
    });
    const [judged] = results.targets;
    if (judged === undefined) throw new Error('a rehearsal has one target');
    const open = judged.requirements.filter(
      ({ id, verdict }) => verdict !== 'pass' && (suite !== 'smoke' || requirement(id).smoke),
    );
    return { requests: judged.traffic.requests, waitedMs: clock.waitedMs, open };
  } finally {
    await mock.close();
  }
}

/** The wire, its times told by another clock. */
function simulatedLine(
  parts: LineParts,
  target: Target,
  clock: SimulatedClock,
  signal: AbortSignal | null,
): Line {
  const wire = new HttpClient({
    limits: target.limits,
    tls: target.tls,
    origins: originsOf(target),
    env: {},
    signal: signal ?? undefined,
    firstNumber: parts.firstNumber,
    onExchange: parts.onExchange,
  });
  return {
    send: async (request, asker, manner) => {
      const passed = clock.waitedMs;
      const exchange = await wire.send(request, { ...manner, asker });
      return { ...exchange, startedAt: exchange.startedAt + passed };
    },
    signal: wire.signal,
    get sentCount() {
      return wire.sentCount;
    },
    close: () => wire.close(),
  };
}
