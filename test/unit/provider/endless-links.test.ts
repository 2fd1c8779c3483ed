import { describe, expect, it } from 'vitest';
import { identitiesOf } from '../../../src/provider/identity.ts';
import type { Page } from '../../../src/provider/page.ts';
import { type Traversal, traverse } from '../../../src/provider/traversal.ts';
import { aPage } from '../../support/page.ts';

const SIZE = 10;

/** The answer of a provider: its records, its count, and the $skip of its link; no link if absent. */
interface Answer {
  readonly records: readonly number[];
  readonly count?: number | undefined;
  readonly next?: number | string | undefined;
}

const range = (from: number, length = SIZE): number[] =>
  Array.from({ length: Math.max(0, length) }, (_none, index) => from + index);

/** Traverses a list; `answer` returns the answer at a `$skip`, and gets the number of the request, from 1. */
async function traversal(
  answer: (skip: number, request: number) => Answer,
): Promise<Traversal & { readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const at = (target: string): Promise<Page> => {
    const skip = Number(/skip=(\d+)/.exec(target)?.[1] ?? 0);
    asked.push(target);
    const { records, count, next } = answer(skip, asked.length);
    return Promise.resolve(
      aPage({
        exchange: asked.length,
        target,
        itemCount: records.length,
        identities: identitiesOf(records),
        link: next === undefined ? undefined : `/v1/printers?$count=true&$pagesize=${SIZE}&$skip=${next}`,
        count,
      }),
    );
  };
  const traversal = await traverse({
    at,
    targetOf: (size, skip) => `/v1/printers?$count=true&$pagesize=${size}&$skip=${skip}`,
    address: { origin: 'http://a.example', basePath: '', listPath: '/v1/printers', longestLink: 8192 },
    maxPages: 20_000,
    start: `/v1/printers?$count=true&$pagesize=${SIZE}`,
    pageSize: SIZE,
    mostPages: 20_000,
  });
  return { ...traversal, asked };
}

/** A list of `total` records with the given `count` and correct links. */
const list =
  (total: number, count: number | undefined = total) =>
  (skip: number): Answer => ({
    records: range(skip, Math.min(SIZE, total - skip)),
    count,
    next: skip + SIZE < total ? skip + SIZE : undefined,
  });

/** Pages with the counted records. */
const COUNTED = 6;
const COUNT = COUNTED * SIZE - 3;

describe('a traversal with endless links', () => {
  it('ends one page after the count if a link leads back', async () => {
    const { end, asked } = await traversal((skip) => ({
      ...list(COUNT)(skip),
      next: skip >= COUNT - SIZE ? 20 : skip + SIZE,
    }));
    expect(end).toEqual({ kind: 'circle', backTo: 3 });
    expect(asked.length).toBe(COUNTED);
  });

  it('ends one page after the count if all pages are the same', async () => {
    const { end, asked } = await traversal((skip) => ({
      records: range(0),
      count: COUNT,
      next: skip + SIZE,
    }));
    expect(end.kind).toBe('runaway');
    expect(asked.length).toBe(COUNTED);
  });

  it('ends one page after the count if all links differ and lead to the first page', async () => {
    const { end, asked } = await traversal((_skip, request) => ({
      records: range(0),
      count: COUNT,
      next: `0&page=${request}`,
    }));
    expect(end.kind).toBe('runaway');
    expect(asked.length).toBe(COUNTED);
  });

  it('ends one page after the count if pages after the last return old records', async () => {
    const { end, asked } = await traversal((skip) => ({
      records: skip < COUNT ? list(COUNT)(skip).records : range(20),
      count: COUNT,
      next: skip + SIZE,
    }));
    expect(end).toEqual({ kind: 'runaway', pages: 1 });
    expect(asked.length).toBe(COUNTED + 1);
  });

  it('ends one page after the count if pages after the last are empty', async () => {
    const { end, asked } = await traversal((skip) => ({ ...list(COUNT)(skip), next: skip + SIZE }));
    expect(end).toEqual({ kind: 'runaway', pages: 1 });
    expect(asked.length).toBe(COUNTED + 1);
  });

  it('ends one page after the count if pages before the last are empty', async () => {
    const { end, asked } = await traversal((skip) => ({
      records: skip < 30 ? range(skip) : [],
      count: COUNT,
      next: skip + SIZE,
    }));
    expect(end.kind).toBe('runaway');
    expect(asked.length).toBe(COUNTED + 1);
  });

  it('ends one page after the count if an empty list has links', async () => {
    const { end, asked } = await traversal((skip) => ({ records: [], count: 0, next: skip + SIZE }));
    expect(end.kind).toBe('runaway');
    expect(asked.length).toBe(2);
  });

  it('ends without a failure if new records never end, once a far page shows it', async () => {
    const { end, asked } = await traversal((skip) => ({
      records: range(skip),
      count: COUNT,
      next: skip + SIZE,
    }));
    expect(end).toMatchObject({ kind: 'limit', why: expect.stringContaining(`the ${COUNT} records`) });
    expect(asked.length).toBe(COUNTED + 1);
  });
});

describe('a traversal of endless new records', () => {
  it('ends if count keeps growing, once the list is many times as long', async () => {
    const { end, steps } = await traversal((skip, request) => ({
      records: range(skip),
      count: 60 + SIZE * request,
      next: skip + SIZE,
    }));
    expect(end).toMatchObject({ kind: 'limit', why: expect.stringContaining('count was 70 at first') });
    expect(steps.length).toBeLessThan(80);
  });

  it('ends without a count, once a far page shows it', async () => {
    const { end, asked } = await traversal((skip) => ({ records: range(skip), next: skip + SIZE }));
    expect(end).toMatchObject({ kind: 'limit', why: expect.stringContaining('no count') });
    expect(asked.length).toBe(65);
  });

  it.each([
    ['count', COUNT, COUNTED + 64],
    ['no count', undefined, 2000],
  ])('ends at last if $skip is read only from links (%s)', async (_what, count, pages) => {
    let linked = 0;
    const { end, steps } = await traversal((skip) => {
      if (skip !== linked) return { records: [], count };
      linked += SIZE;
      return { records: range(skip), count, next: linked };
    });
    expect(end.kind).toBe('limit');
    expect(steps.length).toBe(pages);
  });
});

describe('a traversal', () => {
  it('continues to the end of a list whose count is too low', async () => {
    for (const far of ['nothing', 'the last page', 'the first page']) {
      const { end, reached, asked } = await traversal((skip) => {
        if (skip < 400) return list(400, COUNT)(skip);
        if (far === 'nothing') return { records: [], count: COUNT };
        return { ...list(400, COUNT)(far === 'the last page' ? 390 : 0), count: COUNT };
      });
      expect([far, end.kind, reached.size]).toEqual([far, 'end', 400]);
      expect(asked.length).toBe(41);
    }
  });

  it('continues past pages that are empty or old, below the count', async () => {
    const { end, reached } = await traversal((skip) => ({
      records: skip % 50 === 0 ? range(skip) : skip % 20 === 0 ? range(0) : [],
      count: 300,
      next: skip + SIZE < 300 ? skip + SIZE : undefined,
    }));
    expect([end.kind, reached.size]).toEqual(['end', 60]);
  });

  it('continues to the end of a list that grows anywhere during the traversal', async () => {
    for (const added of [0.3, 1, 4]) {
      const atEnd = await traversal((skip, request) => list(100 + Math.floor(added * request))(skip));
      expect(atEnd.end.kind).toBe('end');
      // New records are inserted at the front, so each page begins with old ones; with 10 per page nothing on
      // it is new.
      let last = 0;
      const inFront = await traversal((skip, request) => {
        last = Math.floor(added * 2.5 * Math.min(request, 15));
        const { records, ...rest } = list(100 + last)(skip);
        return { ...rest, records: records.map((position) => 1000 + position - last) };
      });
      expect([added, inFront.end.kind]).toEqual([added, 'end']);
    }
  });

  it('continues to the end of a list that shrinks, and of one that grows by half or from nothing to a few pages', async () => {
    const shrinking = await traversal((skip, request) => list(Math.max(0, 200 - 8 * request))(skip));
    expect(shrinking.end.kind).toBe('end');
    const grown = await traversal((skip, request) => ({
      ...list(1750)(skip),
      count: Math.max(1000 + 5 * request, skip + 2 * SIZE),
    }));
    expect(grown.end.kind).toBe('end');
    expect((await traversal((skip, request) => list(1 + SIZE * Math.min(request, 60))(skip))).end.kind).toBe(
      'end',
    );
    expect((await traversal(list(15_000))).end.kind).toBe('end');
  });
});
