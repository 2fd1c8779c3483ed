import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../src/core/exchange.ts';
import type { ListClient } from '../../../src/provider/list-client.ts';
import type { ListAnswer } from '../../../src/provider/page.ts';
import { Snapshot } from '../../../src/provider/snapshot.ts';
import { unusedTarget as target } from '../../support/unused-target.ts';

/**
 * A snapshot of a list of two pages whose answers are numbered by request; `broken` is never answered.
 *
 * @param always what each page has; its identity is its number otherwise
 */
function snapshotOf(always: { readonly identities?: BigUint64Array } = {}) {
  const uses: (readonly number[])[] = [];
  let asked = 0;
  const authorized: ListClient['authorized'] = async (at, { onExchange } = {}) => {
    const exchange = ++asked;
    await Promise.resolve();
    onExchange?.({ number: exchange } as Exchange);
    if (at.endsWith('broken')) throw new Error('no answer came');
    const more = at.includes('$skip') ? {} : { link: '/v1/printers?$count=true&$pagesize=1&$skip=1' };
    return {
      kind: 'page',
      exchange,
      target: at,
      status: 200,
      itemCount: 1,
      count: 2,
      identities: BigUint64Array.of(BigInt(exchange)),
      isIdentified: true,
      ...more,
      ...always,
    } as unknown as ListAnswer;
  };
  const client = {
    authorized,
    target,
    path: '/v1/printers',
    address: {
      origin: 'http://127.0.0.1:9',
      basePath: '',
      listPath: '/v1/printers',
      longestLink: 8192,
    },
    resource: { name: 'printers' },
  } as unknown as ListClient;
  return {
    snapshot: new Snapshot(client, 0, (exchanges) => uses.push(exchanges)),
    uses,
    asked: () => asked,
  };
}

describe('the use of answers of a snapshot', () => {
  it('is reported for each use, immediately for known answers', async () => {
    const { snapshot, uses, asked } = snapshotOf();
    const both = [snapshot.first({}), snapshot.first({})];
    expect(uses).toEqual([]);
    await Promise.all(both);
    expect(uses).toEqual([[1], [1]]);
    snapshot.first({});
    expect(uses).toEqual([[1], [1], [1]]);
    expect(asked()).toBe(1);
  });

  it('is not reported for a request without an answer', async () => {
    const { snapshot, uses } = snapshotOf();
    for (let time = 0; time < 2; time++)
      await expect(snapshot.query('broken')).rejects.toThrow('no answer came');
    expect(uses).toEqual([]);
  });

  it('is reported as the same list for each use of a traversal', async () => {
    const { snapshot, uses } = snapshotOf();
    const { steps } = await snapshot.traversal(1);
    expect(steps.map(({ page }) => page.exchange)).toEqual([1, 2]);
    uses.length = 0;
    snapshot.traversal(1);
    await snapshot.traversal(1);
    expect(uses).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(uses[0]).toBe(uses[1]);
  });

  it('is reported for a running traversal when it ends', async () => {
    const { snapshot, uses } = snapshotOf();
    const both = [snapshot.traversal(1), snapshot.traversal(1)];
    await Promise.all(both);
    expect(uses).toEqual([[1], [2], [1, 2]]);
  });
});

describe('the answers of exchanges', () => {
  const numbersOf = (answers: readonly ListAnswer[]): readonly number[] =>
    answers.map(({ exchange }) => exchange);

  it('are the later ones to the same requests if they are the same', async () => {
    const { snapshot } = snapshotOf({ identities: BigUint64Array.of(7n) });
    const { target } = await snapshot.first({});
    await snapshot.first({ count: true });
    await snapshot.exchange(target);
    expect(numbersOf(snapshot.answersOf([1]))).toEqual([3]);
    expect(numbersOf(snapshot.answersOf([2, 3, 9]))).toEqual([3, 2]);
  });

  it('are their own if later ones to the same requests differ', async () => {
    const { snapshot } = snapshotOf();
    const { target } = await snapshot.first({});
    await snapshot.exchange(target);
    expect(numbersOf(snapshot.answersOf([1]))).toEqual([1]);
    expect(numbersOf(snapshot.answersOf([1, 2]))).toEqual([1, 2]);
  });
});
