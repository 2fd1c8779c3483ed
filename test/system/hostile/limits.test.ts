import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/core/package-file.ts';
import type { TargetResult } from '../../../src/core/results.ts';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { DEFAULT_LIMITS } from '../../../src/target/make.ts';
import type { Limits } from '../../../src/target/target.ts';
import type { Behaviour } from '../../support/hostile/altering-proxy.ts';
import { written } from '../../support/hostile/altering-proxy.ts';
import {
  body,
  json,
  link,
  lists,
  onList,
  open,
  raw,
  records,
  status,
  tokens,
} from '../../support/hostile/hostile-behaviours.ts';
import { judgeTarget, openFront, targetOf } from '../../support/judge-mock.ts';

interface Described {
  readonly description: string;
  readonly default: number;
}

const schema = JSON.parse(readFileSync(packageFile('schemas/target.schema.json'), 'utf8')) as {
  $defs: { limits: { properties: { readonly [name: string]: Described } } };
};
const described = schema.$defs.limits.properties;

/** A way to reach a limit: the settings, the provider, and a part of the reason unless it is the name of the limit. */
interface Hit {
  readonly limits: Partial<Limits>;
  readonly how?: Behaviour;
  readonly reason?: string;
  readonly verdict?: 'error';
  /** Whether TLS is spoken with a provider that does not know it. */
  readonly secure?: true;
}

const OK = 'HTTP/1.1 200 OK\r\n';

/** The effect of each limit that ends something; the other two only delay. */
const HITS: { readonly [Name in Exclude<keyof Limits, 'requestsPerSecond' | 'concurrency'>]: Hit } = {
  maxRequests: { limits: { maxRequests: 9 } },
  maxPages: { limits: { maxPages: 2 } },
  maxBodyBytes: { limits: { maxBodyBytes: 2000 } },
  maxTokenBytes: { limits: { maxTokenBytes: 500 }, how: tokens(body((text) => text + ' '.repeat(1000))) },
  maxTotalBytes: { limits: { maxTotalBytes: 20_000 } },
  connectTimeoutMs: { limits: { connectTimeoutMs: 300 }, how: () => null, verdict: 'error', secure: true },
  answerTimeoutMs: { limits: { answerTimeoutMs: 300 }, how: onList(() => null) },
  retries: { limits: { retries: 0 }, how: onList(status(429)), reason: 'kept answering 429' },
  maxRetryAfterMs: { limits: { maxRetryAfterMs: 1000 }, how: onList(status(429, [['Retry-After', '60']])) },
  maxHeaderBytes: {
    limits: { maxHeaderBytes: 2048 },
    how: onList(raw(`${OK}X-Long: ${'a'.repeat(4000)}\r\nContent-Length: 2\r\n\r\n{}`)),
  },
  maxHeaders: {
    limits: { maxHeaders: 20 },
    how: onList(raw(`${OK}${'A: b\r\n'.repeat(30)}Content-Length: 2\r\n\r\n{}`)),
  },
  maxInterim: { limits: { maxInterim: 2 }, how: onList(open('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(5))) },
  maxJsonDepth: {
    limits: { maxJsonDepth: 5 },
    how: lists(json((members) => ({ ...members, x: [[[[[[1]]]]]] }))),
  },
  maxRecordBytes: {
    limits: { maxRecordBytes: 1024 },
    how: records((item) => ({ ...item, displayName: 'n'.repeat(2000) })),
  },
  maxLinkLength: { limits: { maxLinkLength: 100 }, how: link((right) => `${right}&x=${'a'.repeat(200)}`) },
  maxRunSeconds: { limits: { maxRunSeconds: 1, answerTimeoutMs: 20_000 }, how: onList(() => null) },
};

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ records: 60 });
});
afterAll(() => mock.close());

async function judged(limits: Partial<Limits>, behaviour: Behaviour, secure = false): Promise<TargetResult> {
  const front = await openFront(mock, behaviour);
  const origin = secure ? front.replace('http:', 'https:') : front;
  const target = { authUrl: origin, baseUrl: origin, limits: { maxRequests: 400, retries: 1, ...limits } };
  return judgeTarget(targetOf(mock, target));
}

describe('a limit', () => {
  it('of the schema documents its unit, its default and its effect', () => {
    expect(Object.keys(described).sort()).toEqual(Object.keys(DEFAULT_LIMITS).sort());
    expect([...Object.keys(HITS), 'requestsPerSecond', 'concurrency'].sort()).toEqual(
      Object.keys(described).sort(),
    );
    for (const [name, { description, default: given }] of Object.entries(described)) {
      expect(given, name).toBe(DEFAULT_LIMITS[name as keyof Limits]);
      expect(description, name).toMatch(
        /^(Requests|Parallel requests|Pages|Bytes|Milliseconds|Repetitions|Headers|Interim|Nesting depth|Characters|Seconds)\b/,
      );
      expect(description, name).toMatch(/inconclusive|an error|wait/);
    }
  });

  it.each(Object.entries(HITS))('%s causes a verdict with a reason', async (name, hit) => {
    const { limits, how = ({ answer }) => answer, reason: part = `limits.${name}`, secure } = hit;
    const result = await judged(limits, how, secure);
    const limited = result.requirements.filter(({ reason }) => reason?.includes(part));
    expect(limited.map(({ verdict }) => verdict)).toContain(hit.verdict ?? 'inconclusive');
    // A limit of the target file never causes a failure.
    expect(limited.filter(({ verdict }) => verdict === 'fail' || verdict === 'pass')).toEqual([]);
    expect(result.requirements.filter(({ cause }) => cause?.kind === 'harness')).toEqual([]);
    expect(result.outcome).not.toBe('conformant');
    expect(result.outcome).not.toBe('non-conformant');
  });

  it('concurrency delays further requests', async () => {
    let underWay = 0;
    let most = 0;
    await judged({ concurrency: 2, maxRequests: 40 }, (call) => {
      underWay += 1;
      most = Math.max(most, underWay);
      // Long enough for other requests to arrive.
      setTimeout(() => {
        underWay -= 1;
        call.socket.write(written(call.answer));
      }, 20);
      return null;
    });
    expect(most).toBe(2);
  });

  it('requestsPerSecond delays further requests', async () => {
    const arrivals: number[] = [];
    await judged({ requestsPerSecond: 100, concurrency: 2, maxRequests: 30 }, (call) => {
      arrivals.push(performance.now());
      return call.answer;
    });
    expect(arrivals.length).toBeGreaterThan(20);
    // Requests may be late but never early: two at once, then one every 10 ms.
    const [first = 0] = arrivals;
    const last = arrivals.at(-1) ?? 0;
    expect(last - first).toBeGreaterThan((arrivals.length - 4) * 10);
  });
});
