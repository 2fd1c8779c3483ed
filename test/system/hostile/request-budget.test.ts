import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wrongSecretLimits } from '../../../src/provider/wrong-requests.ts';
import { DEFAULT_LIMITS, makeTarget } from '../../../src/target/make.ts';
import type { Behaviour } from '../../support/hostile/altering-proxy.ts';
import { judgeBehind, judgeTarget, openMock, targetOf } from '../../support/judge-mock.ts';

/** Counts like a provider that locks clients out. */
class Ledger {
  readonly wrong = new Map<string, number>();
  readonly agents = new Set<string>();
  readonly methods = new Set<string>();
  mostInARow = 0;
  readonly #inARow = new Map<string, number>();
  readonly #secrets: ReadonlyMap<string, string>;

  constructor(secrets: ReadonlyMap<string, string>) {
    this.#secrets = secrets;
  }

  readonly watch: Behaviour = ({ kind, method, head, body, answer }) => {
    this.agents.add(/^user-agent: (.*)$/im.exec(head)?.[1] ?? 'none');
    this.methods.add(`${kind} ${method}`);
    if (kind === 'token') this.#count(new URLSearchParams(body), answer.status);
    return answer;
  };

  #count(form: URLSearchParams, status: number): void {
    const client = form.get('client_id') ?? '';
    const right = this.#secrets.get(client);
    if (right === undefined) return;
    if (form.get('client_secret') === right) {
      if (status === 200) this.#inARow.set(client, 0);
      return;
    }
    const inARow = (this.#inARow.get(client) ?? 0) + 1;
    this.#inARow.set(client, inARow);
    this.mostInARow = Math.max(this.mostInARow, inARow);
    this.wrong.set(client, (this.wrong.get(client) ?? 0) + 1);
  }
}

describe('a provider', () => {
  it('receives wrong secrets within the budget of each client, and never three in a row', async () => {
    const mock = await openMock({ records: 20 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 6 }), fc.nat(), async (wrongCredentials, seed) => {
        const { credentials, otherCredentials } = mock;
        const ledger = new Ledger(
          new Map([credentials, otherCredentials].map((one) => [one.clientId, one.clientSecret])),
        );
        await judgeBehind(mock, ledger.watch, { seed, target: { probes: { wrongCredentials } } });
        for (const count of ledger.wrong.values()) expect(count).toBeLessThanOrEqual(wrongCredentials);
        expect(ledger.mostInARow).toBeLessThanOrEqual(2);
        // The token endpoint gets one GET request without credentials, to observe its answer.
        expect([...ledger.methods].sort()).toEqual(['list GET', 'token GET', 'token POST']);
        for (const agent of ledger.agents) expect(agent).toMatch(/^assay\/\d+\.\d+\.\d+/);
      }),
      {
        numRuns: 10,
        examples: [
          [6, 1],
          [0, 1],
          [3, 2],
        ],
      },
    );
  });

  it('gets at most 20 requests per second and four in parallel by default', () => {
    expect(DEFAULT_LIMITS).toMatchObject({ requestsPerSecond: 20, concurrency: 4 });
    const credentials = { clientId: 'a', clientSecret: 'b', scope: 'c' };
    const target = makeTarget({ authUrl: 'https://a.example', baseUrl: 'https://a.example', credentials });
    expect(target.probes).toEqual({ wrongCredentials: null, methods: false });
    expect(wrongSecretLimits(target, 'full')).toEqual({ total: 6, inARow: 2 });
    expect(wrongSecretLimits(target, 'certify')).toEqual({ total: 24, inARow: 2 });
  });

  it('receives no more than maxRequests, and untested requirements are inconclusive', async () => {
    const mock = await openMock({ records: 60 });
    const result = await judgeTarget(targetOf(mock, { limits: { maxRequests: 12 } }));
    expect(mock.requests()).toBeLessThanOrEqual(12);
    expect(result.outcome).toBe('inconclusive');
    expect(result.requirements.some(({ reason }) => reason?.includes('limits.maxRequests') === true)).toBe(
      true,
    );
    expect(result.requirements.filter(({ verdict }) => verdict === 'error')).toEqual([]);
  });
});
