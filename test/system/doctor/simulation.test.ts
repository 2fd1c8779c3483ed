import { expect, test } from 'vitest';
import type { Suite } from '../../../src/core/results.ts';
import { estimateCost, simulateRun } from '../../../src/doctor/cost-estimate.ts';
import type { MockOptions } from '../../../src/mock/index.ts';
import type { TargetParts } from '../../../src/target/make.ts';
import { judgeTarget, openMock, targetOf } from '../../support/judge-mock.ts';

/** Requests of the estimate and of the run. */
async function compared(
  options: MockOptions,
  suite: Suite,
  seed: number,
  parts: Partial<TargetParts> = {},
): Promise<{ readonly estimated: number; readonly sent: number }> {
  const mock = await openMock(options);
  const target = targetOf(mock, parts);
  const lists = options.resources ?? [{ records: options.records ?? 1234 }];
  const { requests } = await simulateRun({
    target,
    records: lists.map(({ records = 0 }) => records),
    tokens: options.tokens ?? 'jwt',
    suite,
    seed,
    expiry: false,
    signal: null,
  });
  const before = mock.requests();
  const { traffic } = await judgeTarget(target, { suite, seed });
  expect(mock.requests() - before).toBe(traffic.requests);
  return { estimated: requests, sent: traffic.requests };
}

/** Timing decides about a few requests: parallel checks share the valid token request that follows their wrong ones. */
function expectClose(sent: number, estimated: number): void {
  expect(Math.abs(sent - estimated), `sent ${sent}, estimated ${estimated}`).toBeLessThanOrEqual(3);
}

const LENGTHS = [0, 501, 4321];

test.each(LENGTHS)(
  'the smoke and the full suite over %i records cost what was estimated',
  async (records) => {
    for (const suite of ['smoke', 'full'] as const) {
      const { estimated, sent } = await compared({ records }, suite, records + 7);
      expectClose(sent, estimated);
    }
  },
);

test('the certification of 77 records has the estimated cost', async () => {
  const { estimated, sent } = await compared({ records: 77 }, 'certify', 3);
  expectClose(sent, estimated);
});

test('opaque tokens, several lists, a base path and probes change the cost as estimated', async () => {
  const resources = [
    { path: '/v1/printers', records: 30 },
    { path: '/v1/users', records: 0 },
  ];
  const lists = resources.map(({ path }) => ({ name: path, path, itemSchema: 'printer', idField: 'id' }));
  const cases: readonly [MockOptions, Partial<TargetParts>][] = [
    [{ tokens: 'opaque', records: 20 }, {}],
    [{ basePath: '/int', records: 20 }, {}],
    [{ resources }, { resources: lists }],
    [{ records: 20 }, { probes: { wrongCredentials: 0, methods: true }, otherCredentials: null }],
  ];
  for (const [options, parts] of cases) {
    const { estimated, sent } = await compared(options, 'full', 1, parts);
    expectClose(sent, estimated);
  }
});

test('the wait for a token to expire is counted without waiting', async () => {
  const waiting = { suite: 'full', seed: 1, expiry: true, tokens: 'jwt', signal: null } as const;
  // Slow enough for a busy machine to finish the other checks before their token must be renewed.
  const mock = await openMock({ records: 20, clockRate: 360 });
  const target = targetOf(mock, { expiry: { clockRate: 360 } });
  const { requests, waitedMs } = await simulateRun({ ...waiting, target, records: [20] });
  expect(requests).toBe((await judgeTarget(target, waiting)).traffic.requests);
  expect(waitedMs).toBeGreaterThan(3_600_000);
  expect(waitedMs).toBeLessThan(4_000_000);
});

test('limits.maxRequests bounds the estimate, and a long list is extrapolated from shorter ones', async () => {
  const mock = await openMock({ records: 20 });
  const target = targetOf(mock, { limits: { maxRequests: 50 } });
  const asked = { target, tokens: 'jwt', suite: 'full', seed: 1, latencyMs: 1, signal: null } as const;
  const bounded = await estimateCost({ ...asked, records: [20] });
  expect(bounded).toMatchObject({ requests: 50, bounded: true, exact: true });
  expect((await judgeTarget(target, asked)).traffic.requests).toBe(50);
  const long = await estimateCost({ ...asked, suite: 'smoke', target: targetOf(mock), records: [300_000] });
  expect(long).toMatchObject({ exact: false, bounded: false });
  // The list is traversed once, 500 records at a time.
  expect(Math.abs(long.requests - 600)).toBeLessThan(30);
});

test.each(['unknown-parameter-refused', 'skip-beyond-end-404', 'scheme-exact'])(
  'permitted refusals cost no more than estimated (%s)',
  async (variant) => {
    const mock = await openMock({ records: 40, variant, tokens: 'opaque' });
    const target = targetOf(mock);
    const asked = { target, suite: 'full', seed: 5 } as const;
    const rest = { records: [40], tokens: 'opaque', latencyMs: 1, signal: null } as const;
    const { requests, mostRequests } = await estimateCost({ ...asked, ...rest });
    const { traffic } = await judgeTarget(target, asked);
    expect(traffic.requests).toBeGreaterThan(requests);
    expect(traffic.requests).toBeLessThanOrEqual(mostRequests);
  },
);
