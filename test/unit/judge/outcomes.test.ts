import { expect, it } from 'vitest';
import type { Exchange, FailureCode } from '../../../src/core/exchange.ts';
import type { Undecided } from '../../../src/core/undecided.ts';
import { neededOrNull } from '../../../src/judge/outcomes.ts';
import { NoAnswer } from '../../../src/provider/sender.ts';
import { unusedTarget } from '../../support/unused-target.ts';

it.each<FailureCode>(['tls', 'untrusted', 'unresolved', 'proxy'])(
  'one of many calls that fails with %s is no mistake of the target file',
  async (code) => {
    const causes: (Undecided | null)[] = [];
    const context = { target: unusedTarget, limitedBy: (cause: Undecided | null) => causes.push(cause) };
    const exchange = {
      request: {
        method: 'GET',
        origin: new URL(unusedTarget.baseUrl).origin,
        target: '/v1/printers',
        headers: [],
      },
      failure: { code, message: 'the handshake failed' },
      retry: 0,
    } as unknown as Exchange;
    expect(await neededOrNull(context, Promise.reject(new NoAnswer(exchange)))).toBeNull();
    expect(causes).toMatchObject([{ verdict: 'inconclusive', cause: { kind: 'unavailable' } }]);
  },
);
