import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import { identitiesOf } from '../../../src/provider/identity.ts';
import type { Page } from '../../../src/provider/page.ts';
import { earlyLink, traverse } from '../../../src/provider/traversal.ts';
import { aPage } from '../../support/page.ts';

describe('the link of a body that is not parsed yet', () => {
  it.each([
    ['{"items":[],"nextPageLink":"/v1/printers?$skip=5","count":9}', '/v1/printers?$skip=5'],
    ['{"nextPageLink" : "v1/printers?%24skip=5","items":[]}', 'v1/printers?%24skip=5'],
    ['{"items":[]}', null],
    ['{"items":[{"nextPageLink":"/a"}],"nextPageLink":"/b"}', null],
    ['{"items":[],"nextPageLink":null}', null],
    ['{"items":[],"nextPageLink":"/v1\\/printers"}', null],
    ['{"items":[],"nextPageLink":"/v1/printers', null],
  ])('in %s is %s', (body, link) => {
    expect(earlyLink(Buffer.from(body))).toBe(link);
  });
});

/**
 * A list of `total` records in pages of 10 that reports each request; `linkOf` returns the link after `skip`
 * records.
 */
async function traversed(total: number, linkOf: (skip: number) => string | undefined, count = total) {
  const log: string[] = [];
  const answers = new Map<string, Promise<Page>>();
  const traversal = await traverse({
    start: '/v1/printers?$pagesize=10&$skip=0',
    pageSize: 10,
    mostPages: 100,
    maxPages: 100,
    address: { origin: 'http://127.0.0.1', basePath: '', listPath: '/v1/printers', longestLink: 8192 },
    targetOf: (size, skip) => `/v1/printers?$pagesize=${size}&$skip=${skip}`,
    at: (target, { prefetch } = {}) => {
      const known = answers.get(target);
      if (known !== undefined) return known;
      log.push(`ask ${target.split('=').at(-1)}`);
      const asked = (async (): Promise<Page> => {
        await turn();
        const skip = Number(target.split('=').at(-1));
        const link = linkOf(skip);
        const body = Buffer.from(JSON.stringify({ items: [], nextPageLink: link }));
        prefetch?.({ answer: { body } } as unknown as Exchange);
        log.push(`read ${skip}`);
        const size = Math.max(0, Math.min(10, total - skip));
        return aPage({
          exchange: 1,
          target,
          itemCount: size,
          identities: identitiesOf(Array.from({ length: size }, (_none, index) => `${skip + index}`)),
          link,
          count,
        });
      })();
      answers.set(target, asked);
      return asked;
    },
  });
  return { traversal, log };
}

const next = (total: number) => (skip: number) =>
  skip + 10 < total ? `/v1/printers?$pagesize=10&$skip=${skip + 10}` : undefined;

describe('a traversal', () => {
  it('requests the next page before it parses the current one, once the count is known', async () => {
    const { traversal, log } = await traversed(40, next(40));
    expect(traversal.end).toEqual({ kind: 'end' });
    expect(traversal.steps.map(({ recordsSoFar }) => recordsSoFar)).toEqual([10, 20, 30, 40]);
    expect(log).toEqual(['ask 0', 'read 0', 'ask 10', 'ask 20', 'read 10', 'ask 30', 'read 20', 'read 30']);
  });

  it('prefetches nothing after the count', async () => {
    const endless = (skip: number) => `/v1/printers?$pagesize=10&$skip=${skip + 10}`;
    const { traversal, log } = await traversed(20, endless);
    expect(traversal.end.kind).toBe('runaway');
    const early = log.filter((line, index) => line.startsWith('ask') && log[index + 1]?.startsWith('ask'));
    expect(early).toEqual([]);
  });

  it('requests no page twice if the links form a circle', async () => {
    const { traversal, log } = await traversed(
      100,
      (skip) => `/v1/printers?$pagesize=10&$skip=${(skip + 10) % 30}`,
    );
    expect(traversal.end).toEqual({ kind: 'circle', backTo: 1 });
    expect(log.filter((line) => line.startsWith('ask'))).toEqual(['ask 0', 'ask 10', 'ask 20']);
  });
});
