import { describe, expect, it } from 'vitest';
import { Undecided } from '../../../src/core/undecided.ts';
import { confirm } from '../../../src/judge/confirmation.ts';
import { Violation } from '../../../src/judge/violation.ts';
import type { Page } from '../../../src/provider/page.ts';
import { type Snapshot, Snapshots } from '../../../src/provider/snapshot.ts';

/**
 * A snapshot of a list whose state is one text; it has no records, so nothing can prove that the data did not
 * change.
 */
function snapshotOf(state: string): Snapshot {
  const snapshot = {
    state,
    differsFrom: (other: { readonly state: string }) => other.state !== state,
    recordsDifferFrom: (other: { readonly state: string }) => other.state !== state,
    pages: (): readonly Page[] => [],
    answersOf: (): readonly Page[] => [],
    startedTraversal: () => null,
    client: { pages: { counts: null } },
  };
  return snapshot as unknown as Snapshot;
}

function snapshotsOf(...states: readonly string[]): Snapshots {
  return new Snapshots((number) => snapshotOf(states[number] ?? states.at(-1) ?? ''));
}

const breach = (message: string) => new Violation({ message, expected: 1, actual: 2, exchanges: [] });
const stateOf = (snapshot: Snapshot) => (snapshot as unknown as { readonly state: string }).state;

describe('confirm, for rules that speak of data at rest', () => {
  const atRest = { atRest: true };

  it('accepts a first snapshot without a breach', async () => {
    expect(await confirm(snapshotsOf('a'), atRest, async () => undefined)).toBe(0);
  });

  it('reports a breach that occurs twice in unchanged data', async () => {
    const judging = confirm(snapshotsOf('a', 'a'), atRest, async () => {
      throw breach('same');
    });
    await expect(judging).rejects.toThrow(Violation);
  });

  it('never reports a mere suspicion', async () => {
    const judging = confirm(snapshotsOf('a', 'a'), atRest, async () => {
      throw new Violation({ message: 'same', expected: 1, actual: 2, exchanges: [], suspected: true });
    });
    await expect(judging).rejects.toThrow(Undecided);
  });

  it('judges the unchanged snapshot if the data changed once', async () => {
    const number = await confirm(snapshotsOf('a', 'b', 'b'), atRest, async (snapshot) => {
      if (stateOf(snapshot) === 'a') throw breach('only while it moved');
    });
    expect(number).toBe(1);
  });

  it('reports a breach that persists after one change of the data', async () => {
    const judging = confirm(snapshotsOf('a', 'b', 'b'), atRest, async () => {
      throw breach('lasting');
    });
    await expect(judging).rejects.toThrow('lasting');
  });

  it('reports nothing while the data keeps changing', async () => {
    const judging = confirm(snapshotsOf('a', 'b', 'c', 'd', 'e'), atRest, async () => {
      throw breach('perhaps');
    });
    await expect(judging).rejects.toThrow(Undecided);
  });

  it('reports no breach that disappeared', async () => {
    let asked = 0;
    const judging = confirm(snapshotsOf('a', 'a'), atRest, async () => {
      if (asked++ === 0) throw breach('once');
    });
    await expect(judging).rejects.toMatchObject({ cause: { kind: 'intermittent', seen: 1 } });
  });

  it('does not confirm a breach by a different one', async () => {
    const judging = confirm(snapshotsOf('a', 'a', 'a', 'a'), atRest, async () => {
      throw breach(String(Math.random()));
    });
    await expect(judging).rejects.toThrow(Undecided);
  });
});

describe('confirm, for a breach that names a page of a list at rest', () => {
  const pageOf = (target: string, exchange: number, count: number) =>
    ({
      kind: 'page',
      target,
      exchange,
      count,
      itemCount: 0,
      identities: new BigUint64Array(),
    }) as Partial<Page>;
  const page = pageOf('/page', 1, 10);
  const end = pageOf('/end', 2, 10);

  /** Confirms such a breach. `countAtEnd` gives the count of each repetition of the last page of the list. */
  async function confirmWith(countAtEnd: () => number): Promise<unknown> {
    const snapshots = new Snapshots((number) => {
      const snapshot = {
        ...snapshotOf('a'),
        number,
        answersOf: () => [page],
        startedTraversal: () => Promise.resolve({ steps: [{ page: end }] }),
        client: {
          pages: { counts: { first: 10, last: 9 } },
          authorized: (target: string) =>
            Promise.resolve(target === '/end' ? { ...end, count: countAtEnd() } : page),
        },
      };
      return snapshot as unknown as Snapshot;
    });
    const violation = new Violation({ message: 'too short', expected: 1, actual: 2, exchanges: [1] });
    return confirm(snapshots, { atRest: true }, () => Promise.reject(violation)).catch(
      (error: unknown) => error,
    );
  }

  it('reports it if the list has the same length again and again', async () => {
    expect(await confirmWith(() => 10)).toBeInstanceOf(Violation);
  });

  it('does not report it if the list has another length once', async () => {
    let asked = 0;
    expect(await confirmWith(() => (asked++ % 4 === 3 ? 9 : 10))).toBeInstanceOf(Undecided);
  });
});

describe('confirm, for rules that do not depend on the data', () => {
  it('reports a breach that occurs twice although the data changed', async () => {
    const judging = confirm(snapshotsOf('a', 'b'), { atRest: false }, async () => {
      throw breach('same');
    });
    await expect(judging).rejects.toThrow(Violation);
  });

  it('reports an intermittent breach in two of four snapshots', async () => {
    let asked = 0;
    const judging = confirm(snapshotsOf('a'), { atRest: false }, async () => {
      if (asked++ % 3 === 0) throw breach('now and then');
    });
    await expect(judging).rejects.toThrow('now and then');
    expect(asked).toBe(4);
  });

  it('does not report a breach that occurs once in four snapshots', async () => {
    let asked = 0;
    const judging = confirm(snapshotsOf('a'), { atRest: false }, async () => {
      if (asked++ === 0) throw breach('once');
    });
    await expect(judging).rejects.toMatchObject({ cause: { kind: 'intermittent', seen: 1 } });
  });

  it('remembers earlier breaches', async () => {
    const seen = { violation: breach('once'), number: 0 };
    const gone = confirm(snapshotsOf('a'), { atRest: false }, async () => undefined, seen);
    await expect(gone).rejects.toMatchObject({ cause: { kind: 'intermittent', seen: 1, attempts: 5 } });
    let asked = 0;
    const again = confirm(
      snapshotsOf('a'),
      { atRest: false, maxSnapshots: 8 },
      async () => {
        if (++asked === 7) throw breach('once');
      },
      seen,
    );
    await expect(again).rejects.toThrow(Violation);
    const atRest = confirm(snapshotsOf('a'), { atRest: true }, async () => undefined, seen);
    await expect(atRest).rejects.toMatchObject({ cause: { kind: 'intermittent', seen: 1 } });
  });

  it('reports a breach that occurs twice with another one in between', async () => {
    const shown = ['one', 'other', 'one'];
    const judging = confirm(snapshotsOf('a'), { atRest: false }, async () => {
      throw breach(shown.shift() ?? 'none');
    });
    await expect(judging).rejects.toThrow('one');
  });
});

describe('confirm, for rules that one answer breaks', () => {
  const once = () => {
    let asked = 0;
    return async () => {
      if (asked++ === 0) throw breach('records');
    };
  };

  it('reports a breach that does not show again, with its rate', async () => {
    const options = { atRest: false, expectNoOtherExplanation: async () => undefined };
    const judging = confirm(snapshotsOf('a'), options, once());
    await expect(judging).rejects.toThrow(Violation);
    await expect(confirm(snapshotsOf('a'), options, once())).rejects.toThrow('(in 1 of 4 attempts)');
  });

  it('reports nothing if there is an excuse', async () => {
    const expectNoOtherExplanation = async () => {
      throw new Undecided({ kind: 'changing' });
    };
    const judging = confirm(snapshotsOf('a'), { atRest: false, expectNoOtherExplanation }, once());
    await expect(judging).rejects.toThrow(Undecided);
  });

  it('reports it also if the repetition cannot be carried out', async () => {
    let asked = 0;
    const judging = confirm(
      snapshotsOf('a'),
      { atRest: false, expectNoOtherExplanation: async () => undefined },
      async () => {
        if (asked++ === 0) throw breach('records');
        throw new Undecided({ kind: 'unavailable', status: 429 });
      },
    );
    await expect(judging).rejects.toThrow(Violation);
  });
});
