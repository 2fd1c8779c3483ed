import { expect, it } from 'vitest';
import { SYSTEM_CLOCK } from '../../../src/core/clock.ts';
import type { HttpRequest } from '../../../src/core/exchange.ts';
import { ListClient } from '../../../src/provider/list-client.ts';
import { SecretRegistry } from '../../../src/provider/secret-registry.ts';
import { TokenClient } from '../../../src/provider/token-client.ts';
import { unusedTarget } from '../../support/unused-target.ts';

it('a call that carries cookies has those of the target file in the same header', async () => {
  const target = { ...unusedTarget, headers: { cookie: 'gateway=1', 'X-Other': 'a' } };
  const [resource] = target.resources;
  if (resource === undefined) throw new Error('the target has no list');
  const sent: HttpRequest[] = [];
  const sender = {
    send: (request: HttpRequest) => {
      sent.push(request);
      return Promise.reject(new Error('lost'));
    },
  };
  const options = { suite: 'smoke', seed: 1 } as const;
  const tokens = new TokenClient({
    target,
    options,
    sender,
    secrets: new SecretRegistry(),
    clock: SYSTEM_CLOCK,
  });
  const list = new ListClient({ target, resource, tokens, sender });
  for (const headers of [[['Cookie', 'token=2']], []] as const)
    await list.call({ authorization: null, headers }).catch(() => undefined);
  const cookies = sent.map((request) =>
    request.headers.filter(([name]) => name.toLowerCase() === 'cookie').map(([, value]) => value),
  );
  expect(cookies).toEqual([['gateway=1; token=2'], ['gateway=1']]);
});
