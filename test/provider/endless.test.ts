import { describe, expect, it } from 'vitest';
import { canonicalQuery } from '../../src/provider/link.ts';
import type { Page } from '../../src/provider/page.ts';
import { type Walk, walkFrom } from '../../src/provider/walk.ts';

const SIZE = 10;

/** Walks a list whose pages never end; `count` tells what each page says of the length. */
function walk(count: (page: number) => number | undefined, last = Number.POSITIVE_INFINITY): Promise<Walk> {
  let pages = 0;
  const at = (target: string): Promise<Page> => {
    const skip = Number(/skip=(\d+)/.exec(target)?.[1] ?? 0);
    pages += 1;
    return Promise.resolve({
      kind: 'page',
      exchange: pages,
      target,
      status: 200,
      itemCount: SIZE,
      identities: BigUint64Array.from({ length: SIZE }, (_none, index) => BigInt(skip + index + 1)),
      link: pages < last ? `/v1/printers?$count=true&$pagesize=${SIZE}&$skip=${skip + SIZE}` : undefined,
      count: count(pages),
      exactCount: null,
      nulls: [],
      badItem: null,
      furtherMembers: [],
      furtherItemMembers: [],
      cookies: '',
    });
  };
  return walkFrom({
    source: {
      at,
      place: { origin: 'http://a.example', basePath: '', listPath: '/v1/printers' },
      maxPages: 20_000,
    },
    start: `/v1/printers?$count=true&$pagesize=${SIZE}`,
    pageSize: SIZE,
    mostPages: 20_000,
    identityOfRequest: canonicalQuery,
  });
}

describe('a walk through new records without end', () => {
  it('ends a few pages after the count, and accuses nobody', async () => {
    const { end, steps } = await walk(() => 60);
    expect(end).toMatchObject({ kind: 'limit', why: expect.stringContaining('after the 60 records') });
    expect(steps.length).toBeLessThan(80);
  });

  it('ends where the count runs ahead of it, once the list is many times as long as it was', async () => {
    const { end, steps } = await walk((page) => 60 + SIZE * page);
    expect(end).toMatchObject({ kind: 'limit', why: expect.stringContaining('count was 70 at first') });
    expect(steps.length).toBeLessThan(80);
  });

  it('ends where there is no count', async () => {
    const { end, steps } = await walk(() => undefined);
    expect(end).toMatchObject({ kind: 'limit', why: expect.stringContaining('no count') });
    expect(steps.length).toBe(2000);
  });

  it('goes to the end of a list that grows by half, or from nothing to a few pages', async () => {
    expect((await walk((page) => 1000 + 5 * page, 150)).end.kind).toBe('end');
    expect((await walk((page) => 1 + SIZE * page, 60)).end.kind).toBe('end');
    expect((await walk(() => 15_000, 1500)).end.kind).toBe('end');
  });
});
