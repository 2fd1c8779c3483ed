import { describe, expect, it } from 'vitest';
import { SYSTEM_CLOCK } from '../../../src/core/clock.ts';
import type { Exchange, HttpRequest } from '../../../src/core/exchange.ts';
import { Redactor } from '../../../src/evidence/redaction/redactor.ts';
import { isTraversedAlike } from '../../../src/judge/proofs/data-at-rest.ts';
import { ListClient } from '../../../src/provider/list-client.ts';
import { SecretRegistry } from '../../../src/provider/secret-registry.ts';
import type { Sender } from '../../../src/provider/sender.ts';
import { Snapshot } from '../../../src/provider/snapshot.ts';
import { TokenClient } from '../../../src/provider/token-client.ts';
import { unusedTarget as target } from '../../support/unused-target.ts';

const PAGES = 5;

/**
 * A provider of pages of one record that issues a new token for every request; `refuses` selects the refused
 * tokens. With `isBound`, only the token that obtained a link can follow it.
 */
function providerOf({
  refuses = () => false,
  isBound = false,
}: {
  refuses?: (token: string, skip: number) => boolean;
  isBound?: boolean;
} = {}) {
  const tokens: string[] = [];
  let issued = 0;
  const answerTo = (request: HttpRequest): { status: number; body: unknown } => {
    if (request.method === 'POST') {
      const token = `token-number-${++issued}`;
      return {
        status: 200,
        body: { access_token: token, expires_in: 3600, token_type: 'Bearer', scope: 'unused' },
      };
    }
    const token = request.headers.find(([name]) => name === 'Authorization')?.[1].slice(7) ?? '';
    const skip = Number(/\$skip=(\d+)/.exec(request.target)?.[1] ?? 0);
    tokens.push(token);
    if (refuses(token, skip)) return { status: 401, body: {} };
    const owner = /&for=(.*)$/.exec(request.target)?.[1] ?? token;
    if (owner !== token) return { status: 404, body: {} };
    const next = `/v1/printers?$count=true&$pagesize=1&$skip=${skip + 1}${isBound ? `&for=${token}` : ''}`;
    const link = skip + 1 < PAGES ? next : undefined;
    const items = [{ id: `printer-${skip}`, displayName: 'a', agent: 'b' }];
    return { status: 200, body: { items, count: PAGES, nextPageLink: link } };
  };
  let number = 0;
  const sender: Sender = {
    send: async (request, senderOptions) => {
      const { status, body } = answerTo(request);
      const bytes = Buffer.from(JSON.stringify(body));
      // Another token is issued while the list is traversed.
      if (request.method === 'GET') await tokenClient.requestAnother();
      const exchange: Exchange = {
        number: ++number,
        request,
        answer: {
          status,
          statusText: '',
          httpVersion: '1.1',
          headers: [],
          body: bytes,
          bodyBytesOnWire: bytes.length,
        },
        failure: null,
        startedAt: Date.now(),
        firstByteMs: 0,
        durationMs: 0,
        connection: 1,
        retry: 0,
      };
      senderOptions?.onAnswer?.(exchange);
      return exchange;
    },
  };
  const tokenClient = new TokenClient({
    target,
    options: { suite: 'smoke', seed: 0 },
    sender,
    secrets: new SecretRegistry(new Redactor()),
    clock: SYSTEM_CLOCK,
  });
  const resource = target.resources[0];
  if (resource === undefined) throw new Error('there is a list');
  return {
    snapshot: new Snapshot(new ListClient({ target, resource, tokens: tokenClient, sender })),
    tokens,
  };
}

describe('the token of a traversal', () => {
  it('is the token of the first page, even if others are issued meanwhile', async () => {
    const { snapshot, tokens } = providerOf();
    const traversal = await snapshot.traversal(1);
    expect(traversal.steps).toHaveLength(PAGES);
    expect(new Set(tokens).size).toBe(1);
  });

  it('is that of the page whose link a check follows', async () => {
    const { snapshot, tokens } = providerOf();
    const first = await snapshot.first({ count: true, pageSize: 1 });
    const [next] = first.kind === 'page' ? [await snapshot.follow(first)] : [];
    expect(next?.kind).toBe('page');
    expect(new Set(tokens).size).toBe(1);
    await snapshot.client.authorized(snapshot.targetOf({ count: true }));
    expect(new Set(tokens).size).toBe(2);
  });

  it('is used again by checks that repeat a link which may be bound to it', async () => {
    const { snapshot, tokens } = providerOf({ isBound: true });
    await snapshot.traversal(null);
    await snapshot.client.authorized(snapshot.targetOf({ count: true }));
    expect(new Set(tokens).size).toBe(2);
    expect(await isTraversedAlike(snapshot, 1)).toBe(true);
  });

  it('is kept while it is accepted', async () => {
    const first: string[] = [];
    const { snapshot, tokens } = providerOf({
      refuses: (token, skip) => {
        first.push(token);
        return token === first[0] && skip > 1;
      },
    });
    const traversal = await snapshot.traversal(1);
    expect(traversal.steps).toHaveLength(PAGES);
    expect(tokens.at(-1)).not.toBe(tokens[0]);
    expect(tokens.filter((token) => token === tokens[0])).toHaveLength(4);
    expect(new Set(tokens.slice(4)).size).toBe(1);
  });
});
