import { describe, expect, it } from 'vitest';
import { Undecided } from '../../../src/core/undecided.ts';
import { confirm } from '../../../src/judge/confirmation.ts';
import { Violation } from '../../../src/judge/violation.ts';
import type { Page } from '../../../src/provider/page.ts';
import type { Snapshot } from '../../../src/provider/snapshot.ts';
import { Snapshots } from '../../../src/provider/snapshots.ts';

/** A look at a list whose whole state is one text; no records, so nothing can prove the data at rest. */
function look(state: string): Snapshot {
  const snapshot = {
    state,
    differsFrom: (other: { readonly state: string }) => other.state !== state,
    recordsDifferFrom: (other: { readonly state: string }) => other.state !== state,
    pages: (): readonly Page[] => [],
    answers: (): readonly Page[] => [],
  };
  return snapshot as unknown as Snapshot;
}

function looksOf(...states: readonly string[]): Snapshots {
  return new Snapshots((number) => look(states[number] ?? states.at(-1) ?? ''));
}

const breach = (message: string) => new Violation({ message, expected: 1, actual: 2, exchanges: [] });
const stateOf = (snapshot: Snapshot) => (snapshot as unknown as { readonly state: string }).state;

describe('confirm, for rules that speak of data at rest', () => {
  const atRest = { atRest: true };

  it('is content with a first snapshot that holds', async () => {
    expect(await confirm(looksOf('a'), atRest, async () => undefined)).toBe(0);
  });

  it('reports a breach that shows twice with nothing changed', async () => {
    const judging = confirm(looksOf('a', 'a'), atRest, async () => {
      throw breach('same');
    });
    await expect(judging).rejects.toThrow(Violation);
  });

  it('reports nothing that is only suspected, however often', async () => {
    const judging = confirm(looksOf('a', 'a'), atRest, async () => {
      throw new Violation({ message: 'same', expected: 1, actual: 2, exchanges: [], suspected: true });
    });
    await expect(judging).rejects.toThrow(Undecided);
  });

  it('judges the quiet snapshot where the data moved once', async () => {
    const number = await confirm(looksOf('a', 'b', 'b'), atRest, async (snapshot) => {
      if (stateOf(snapshot) === 'a') throw breach('only while it moved');
    });
    expect(number).toBe(1);
  });

  it('still reports a breach that outlasts the data moving once', async () => {
    const judging = confirm(looksOf('a', 'b', 'b'), atRest, async () => {
      throw breach('lasting');
    });
    await expect(judging).rejects.toThrow('lasting');
  });

  it('accuses nobody while the data keeps moving', async () => {
    const judging = confirm(looksOf('a', 'b', 'c', 'd', 'e'), atRest, async () => {
      throw breach('perhaps');
    });
    await expect(judging).rejects.toThrow(Undecided);
  });

  it('accuses nobody of a breach that went away by itself', async () => {
    let asked = 0;
    const judging = confirm(looksOf('a', 'a'), atRest, async () => {
      if (asked++ === 0) throw breach('once');
    });
    await expect(judging).rejects.toMatchObject({ cause: { kind: 'intermittent', seen: 1 } });
  });

  it('does not take two different breaches for a confirmation', async () => {
    const judging = confirm(looksOf('a', 'a', 'a', 'a'), atRest, async () => {
      throw breach(String(Math.random()));
    });
    await expect(judging).rejects.toThrow(Undecided);
  });
});

describe('confirm, for rules that hold whatever the data', () => {
  it('reports a breach that shows twice although the data moved', async () => {
    const judging = confirm(looksOf('a', 'b'), { atRest: false }, async () => {
      throw breach('same');
    });
    await expect(judging).rejects.toThrow(Violation);
  });

  it('reports an intermittent breach that shows in two of four snapshots', async () => {
    let asked = 0;
    const judging = confirm(looksOf('a'), { atRest: false }, async () => {
      if (asked++ % 3 === 0) throw breach('now and then');
    });
    await expect(judging).rejects.toThrow('now and then');
    expect(asked).toBe(4);
  });

  it('accuses nobody of what shows once in four snapshots', async () => {
    let asked = 0;
    const judging = confirm(looksOf('a'), { atRest: false }, async () => {
      if (asked++ === 0) throw breach('once');
    });
    await expect(judging).rejects.toMatchObject({ cause: { kind: 'intermittent', seen: 1 } });
  });

  it('never forgets one that was seen already', async () => {
    const seen = { violation: breach('once'), number: 0 };
    const gone = confirm(looksOf('a'), { atRest: false }, async () => undefined, seen);
    await expect(gone).rejects.toMatchObject({ cause: { kind: 'intermittent', seen: 1 } });
    let asked = 0;
    const again = confirm(
      looksOf('a'),
      { atRest: false, maxSnapshots: 8 },
      async () => {
        if (++asked === 7) throw breach('once');
      },
      seen,
    );
    await expect(again).rejects.toThrow(Violation);
    const atRest = confirm(looksOf('a'), { atRest: true }, async () => undefined, seen);
    await expect(atRest).rejects.toMatchObject({ cause: { kind: 'intermittent', seen: 1 } });
  });

  it('reports one between whose two showings another one came', async () => {
    const shown = ['one', 'other', 'one'];
    const judging = confirm(looksOf('a'), { atRest: false }, async () => {
      throw breach(shown.shift() ?? 'none');
    });
    await expect(judging).rejects.toThrow('one');
  });
});
