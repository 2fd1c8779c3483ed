import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../../src/core/results.ts';
import { findDuplicate } from '../../../src/judge/proofs/duplicate-records.ts';
import type { ListAnswer } from '../../../src/provider/page.ts';
import type { Snapshot } from '../../../src/provider/snapshot.ts';
import type { Step } from '../../../src/provider/traversal.ts';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

/** Identifiers with the identity of another one, as in a hash collision. */
const alike = vi.hoisted(() => new Map<string, string>());

vi.mock('../../../src/provider/identity.ts', async (original) => {
  const real = await original<typeof import('../../../src/provider/identity.ts')>();
  const writeIdentity = (words: Uint32Array, place: number, text: string): void =>
    real.writeIdentity(words, place, alike.get(text) ?? text);
  const identityOf = (identifier: unknown): bigint => {
    const identities = new BigUint64Array(1);
    writeIdentity(real.wordsOf(identities), 0, real.identityText(identifier));
    return identities[0] as bigint;
  };
  return {
    ...real,
    writeIdentity,
    identityOf,
    identitiesOf: (all: readonly unknown[]) => BigUint64Array.from(all, identityOf),
    // Values that are not hashed as bytes are hashed as text.
    writeIdentityOfBytes: () => false,
  };
});
const { identifierOf, identitiesOf } = await import('../../../src/provider/identity.ts');

beforeEach(() => alike.clear());

/**
 * A traversal over pages of these identifiers, and a snapshot that returns `now` when they are read again.
 */
function traversed(pages: readonly (readonly Json[])[], now = pages) {
  const asked: string[] = [];
  const seen = new Set<bigint>();
  const answerOf = (all: readonly (readonly Json[])[], index: number): ListAnswer =>
    ({
      kind: 'page',
      exchange: all === pages ? index + 1 : 100 + index + 1,
      target: `?$skip=${index}`,
      itemCount: all[index]?.length ?? 0,
      identities: identitiesOf(all[index] ?? []),
      exactCount: null,
    }) as unknown as ListAnswer;
  const steps = pages.map((_page, index) => {
    const page = answerOf(pages, index);
    const before = seen.size;
    if (page.kind === 'page') for (const identity of page.identities) seen.add(identity);
    return { page, number: index + 1, fresh: seen.size - before } as unknown as Step;
  });
  const snapshot = {
    exchange: (target: string) => {
      asked.push(target);
      return Promise.resolve({ number: 100 + Number(target.slice(7)) + 1, target });
    },
    at: (target: string) => Promise.resolve(answerOf(now, Number(target.slice(7)))),
    client: {
      records: {
        identifiersIn: ({ target }: { target: string }) =>
          now[Number(target.slice(7))]?.map((read) => identifierOf(read)),
      },
    },
  } as unknown as Snapshot;
  return { steps, asked, find: () => findDuplicate(snapshot, steps) };
}

describe('a repeated record', () => {
  it('is reported with both pages after rereading them', async () => {
    const { find, asked, steps } = traversed([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'b'],
    ]);
    expect(await find()).toMatchObject({
      identifier: { name: 'b' },
      first: steps[0],
      second: steps[2],
      exchanges: [103, 101, 3, 1],
    });
    expect(asked).toEqual(['?$skip=0', '?$skip=2']);
  });

  it('is found on a single page, which is reread once', async () => {
    const { find, asked } = traversed([['a', 'b', 'a']]);
    expect(await find()).toMatchObject({ identifier: { name: 'a' }, exchanges: [101, 1] });
    expect(asked).toEqual(['?$skip=0']);
  });

  it('is not reported for a hash collision', async () => {
    alike.set('d', 'a');
    const { find, asked } = traversed([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    expect(await find()).toBeNull();
    expect(asked).toEqual(['?$skip=0', '?$skip=1']);
  });

  it('causes one rereading of its two pages for any number of collisions', async () => {
    alike.set('d', 'a').set('e', 'b');
    const { find, asked } = traversed([
      ['a', 'b'],
      ['d', 'e'],
    ]);
    expect(await find()).toBeNull();
    expect(asked.length).toBe(2);
  });

  it('is found among collisions on the same pages and on others', async () => {
    alike.set('d', 'a').set('f', 'c');
    const same = traversed([
      ['a', 'b'],
      ['d', 'b'],
    ]);
    expect(await same.find()).toMatchObject({ identifier: { name: 'b' } });
    const later = traversed([['a', 'b'], ['c', 'd'], ['e', 'f'], ['b']]);
    expect(await later.find()).toMatchObject({
      identifier: { name: 'b' },
      second: { number: 4 },
    });
  });

  it('is not searched for endlessly if there are many collisions', async () => {
    const pages = Array.from({ length: 9 }, (_none, index) => [`${index}`, `other ${index}`]);
    for (const [one, other] of pages) alike.set(other ?? '', one ?? '');
    const { find, asked } = traversed(pages);
    await expect(find()).rejects.toMatchObject({ cause: { kind: 'changing' } });
    expect(asked.length).toBeLessThan(10);
  });

  it('is only suspected if the reread pages differ and repeat nothing', async () => {
    const { find } = traversed([['a'], ['a']], [['a'], ['b']]);
    expect(await find()).toMatchObject({ identifier: null, exchanges: [2, 1] });
  });

  it('is reported if the reread pages differ and repeat a record', async () => {
    const { find } = traversed([['a'], ['a']], [['c'], ['c']]);
    expect(await find()).toMatchObject({ identifier: { name: 'c' } });
  });

  it('is distinguished from a text that looks like a number', async () => {
    alike.set('1', '\u00001');
    expect(await traversed([[1], ['1']]).find()).toBeNull();
    expect(await traversed([[1], [1]]).find()).toMatchObject({ identifier: { name: '1' } });
  });

  it('cannot be found if items have no identifier', async () => {
    const { steps, find } = traversed([['a'], ['b']]);
    steps[1]?.page.identities.fill(0n);
    expect(await find()).toBe('unidentified');
  });
});

describe('traversal/no-duplicates', () => {
  const options = { records: 1234, seed: 1 };
  const judging = { suite: 'smoke', only: ['traversal/no-duplicates'] } as const;
  const first = 'dc3a00f5-71e6-5cf2-54ab-d3fc8dc2b0d1';
  const later = 'f4184343-37dd-71b3-f36b-cc25591b4a30';

  it('does not fail for hash collisions', async () => {
    alike.set(later, first);
    const result = await judgeMock(options, judging);
    expect(requirementOf(result, 'traversal/no-duplicates').verdict).toBe('pass');
    // The traversal took the two for one.
    expect(result.records).toEqual({ printers: 1233 });
  });

  it('needs no other traversal if the main one shows the breach', async () => {
    const full = { suite: 'full', only: ['traversal/no-duplicates'] } as const;
    const passing = await judgeMock(options, full);
    const failing = await judgeMock({ ...options, defects: ['traversal-repeats-late'] }, full);
    expect(requirementOf(passing, 'traversal/no-duplicates').verdict).toBe('pass');
    expect(requirementOf(failing, 'traversal/no-duplicates').verdict).toBe('fail');
    expect(failing.received).toBeLessThan(passing.received);
  });

  it('reports the record and both pages', async () => {
    const result = await judgeMock({ ...options, defects: ['traversal-ids-collide'] }, judging);
    const [violation] = requirementOf(result, 'traversal/no-duplicates').violations;
    expect(violation?.message).toMatch(/gives record [0-9a-f-]{36} on page 1 and again on page 2; /);
  });
});
