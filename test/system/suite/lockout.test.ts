import { describe, expect, it } from 'vitest';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import type { Interception } from '../../support/hostile/altering-proxy.ts';
import { judgeBehind, openMock, requirementOf } from '../../support/judge-mock.ts';

const JSON_TYPE = [['Content-Type', 'application/json']] as const;
const REFUSAL = Buffer.from('{"error":"invalid_client"}');

/** The requests to a token endpoint in order, and whether they were refused. */
interface Asked {
  readonly kind: 'right' | 'wrong secret' | 'wrong otherwise';
  readonly refused: boolean;
}

function kindOf({ credentials }: Mock, form: URLSearchParams): Asked['kind'] {
  const { clientId, clientSecret } = credentials;
  if (form.get('client_id') !== clientId || form.get('grant_type') !== 'client_credentials')
    return 'wrong otherwise';
  return form.get('client_secret') === clientSecret ? 'right' : 'wrong secret';
}

const PROBES = ['token/grant-type', 'token/secret', 'token/client', 'token/provider-isolation'];

const LIST_RULES = ['page-size/filled', 'traversal/followable', 'count/stable'];

/** Tests a provider whose token endpoint, or whole address, refuses requests depending on all earlier token requests. */
async function judged(
  defect: string | null,
  refuses: (asked: readonly Asked[], kind: Asked['kind']) => number | null,
  {
    only = PROBES,
    isWholeAddress = false,
    headers = [],
  }: {
    only?: readonly string[];
    isWholeAddress?: boolean;
    headers?: readonly (readonly [string, string])[];
  } = {},
) {
  const mock = await startMock(defect === null ? {} : { defects: [defect] });
  const asked: Asked[] = [];
  const statusFor = (request: Parameters<typeof intercept>[0]): number | null => {
    if (request.kind === 'list') return isWholeAddress ? refuses(asked, 'right') : null;
    const kind = kindOf(mock, new URLSearchParams(request.body));
    const status = refuses(asked, kind);
    asked.push({ kind, refused: status !== null });
    return status;
  };
  const intercept: NonNullable<Interception['intercept']> = (request) => {
    const status = statusFor(request);
    return status === null
      ? null
      : { status, reason: 'Refused', headers: [...JSON_TYPE, ...headers], body: REFUSAL };
  };
  const judging = judgeBehind(mock, ({ answer }) => answer, { only, intercept });
  const result = await judging.finally(() => mock.close());
  return { verdict: (id: string) => requirementOf(result, id), asked, requirements: result.requirements };
}

function wrong(asked: readonly Asked[]): number {
  return asked.filter(({ kind }) => kind !== 'right').length;
}

// A locked client is waited for.
describe.concurrent('a client that is locked after wrong secrets', () => {
  it('proves nothing by refusals, because the correct secret is refused as well', async () => {
    const { verdict } = await judged('secret-extended', (asked) => (wrong(asked) >= 3 ? 401 : null));
    expect(verdict('token/secret')).toMatchObject({ verdict: 'inconclusive' });
    expect(verdict('token/secret').cause).toEqual({ kind: 'unavailable', status: 401 });
  });

  it('fails no rule of token answers if it is refused with status 200 and an error', async () => {
    const only = ['token/shape', 'token/type', 'token/validity', 'token/scope', 'token/secret'];
    const { requirements } = await judged(null, (asked) => (wrong(asked) >= 3 ? 200 : null), { only });
    expect(requirements.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    expect(requirements.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id)).toContain(
      'token/shape',
    );
  });

  it('is detected at the end if the last requests lock it', async () => {
    const { verdict } = await judged(null, (asked) => (wrong(asked) >= 18 ? 403 : null));
    for (const id of PROBES) expect(verdict(id)).toMatchObject({ verdict: 'inconclusive' });
    expect(verdict('token/client').cause).toEqual({ kind: 'unavailable', status: 403 });
  });

  it('still fails for an earlier breach', async () => {
    const { verdict } = await judged('secret-any', (asked) => (wrong(asked) >= 2 ? 401 : null), {
      only: ['token/secret'],
    });
    expect(verdict('token/secret')).toMatchObject({ verdict: 'fail' });
  });

  it('blocks nothing by token/issued if the whole address is locked', async () => {
    const refuses = (asked: readonly Asked[]): number | null => (wrong(asked) >= 4 ? 403 : null);
    const { requirements } = await judged(null, refuses, {
      only: ['token/secret', ...LIST_RULES],
      isWholeAddress: true,
    });
    expect(requirements.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
    const open = requirements.filter(({ verdict }) => verdict === 'inconclusive');
    expect(open.map(({ id }) => id)).toEqual(expect.arrayContaining(LIST_RULES));
    expect(open.filter(({ cause }) => cause?.kind === 'blocked')).toEqual([]);
  });

  it('passes if a final valid request shows that it is not locked', async () => {
    const { verdict, asked } = await judged(null, () => null);
    for (const id of PROBES) expect(verdict(id)).toMatchObject({ verdict: 'pass' });
    expect(asked.at(-1)).toEqual({ kind: 'right', refused: false });
    // The first two, two between the wrong secrets, and the last one.
    expect(asked.filter(({ kind }) => kind === 'right').length).toBeLessThanOrEqual(5);
  });
});

describe.concurrent('requests with a wrong secret', () => {
  it('are counted with their repetitions', async () => {
    let puttingOff = 0;
    const { verdict, asked } = await judged(
      null,
      (_all, kind) => (kind === 'wrong secret' && puttingOff++ % 2 === 0 ? 429 : null),
      { only: ['token/secret'] },
    );
    expect(verdict('token/secret').verdict).toBe('pass');
    const kinds = asked.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'wrong secret')).toHaveLength(6);
    expect(kinds.join()).not.toContain('wrong secret,wrong secret,wrong secret');
  });

  it('are repeated after the seconds that a limit asks for', async () => {
    let limitedAt: number | null = null;
    const refuses = (_all: readonly Asked[], kind: Asked['kind']): number | null => {
      if (kind !== 'wrong secret') return null;
      limitedAt ??= performance.now();
      return performance.now() - limitedAt < 2900 ? 429 : null;
    };
    const { verdict } = await judged(null, refuses, {
      only: ['token/secret'],
      headers: [['Retry-After', '3']],
    });
    expect(verdict('token/secret').verdict).toBe('pass');
  });

  it('are not repeated any more where that shows nothing', async () => {
    const { verdict, asked } = await judged(null, (_all, kind) => (kind === 'wrong secret' ? 429 : null), {
      only: ['token/secret'],
    });
    expect(verdict('token/secret').cause).toEqual({ kind: 'unavailable', status: 429 });
    expect(asked.filter(({ kind }) => kind === 'wrong secret')).toHaveLength(2);
  });
});

describe('a client secret that is mistyped', () => {
  it.each(['smoke', 'full', 'certify'] as const)('is sent three times at most in %s', async (suite) => {
    const mock = await openMock();
    const credentials = { ...mock.credentials, clientSecret: 'mistyped' };
    const sent: string[] = [];
    const { outcome } = await judgeBehind(mock, ({ answer }) => answer, {
      suite,
      target: { credentials },
      intercept: ({ kind, body }) => {
        // Also by HTTP Basic.
        if (kind === 'token' && !body.includes(mock.otherCredentials.clientId)) sent.push(body);
        return null;
      },
    });
    expect(outcome).toBe('error');
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.length).toBeLessThanOrEqual(3);
  });
});
