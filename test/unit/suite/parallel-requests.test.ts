import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEvidenceLines } from '../../../src/evidence/reader.ts';
import type { ObserverContext } from '../../../src/judge/observation.ts';
import { sendTogether } from '../../../src/judge/probes/list-variations.ts';
import { conform } from '../../../src/run/conform.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const scratch = temporaryFolder('rounds');

/** Targets of a full run's list calls in the order in which they were sent. */
async function sentOf(defects: readonly string[]): Promise<readonly string[]> {
  const mock = await openMock({ records: 1000, defects });
  const evidenceFile = path.join(scratch, `${defects.join()}.gz`);
  await conform(
    [targetOf(mock, { limits: { concurrency: 4 } })],
    runOptions({
      suite: 'full',
      only: ['link/absent-at-the-end', 'page-size/limit'],
      seed: 42,
      evidenceFile,
    }),
  );
  const sent: { readonly number: number; readonly target: string }[] = [];
  for await (const { line } of readEvidenceLines(evidenceFile))
    if ('request' in line) sent.push({ number: line.number, target: line.request.target });
  return sent.toSorted((one, other) => one.number - other.number).map(({ target }) => target);
}

const JUMPS = ['$count=true&$pagesize=2&$skip=998', '$count=true&$pagesize=4&$skip=996'];

describe('what depends on nothing but the traversals', () => {
  it('is asked beside the first pages, not after the last of them', async () => {
    const sent = await sentOf([]);
    const last = sent.findLastIndex((target) => /\?(\$count=true&)?\$pagesize=\d+$/u.test(target));
    for (const jump of JUMPS) {
      const place = sent.findIndex((target) => target.endsWith(jump));
      expect(place).toBeGreaterThan(0);
      expect(place).toBeLessThan(last);
    }
  });

  it('is asked once more to confirm a breach only where it shows the breach', async () => {
    const sent = await sentOf(['link-when-size-is-total']);
    for (const jump of JUMPS) expect(sent.filter((target) => target.endsWith(jump))).toHaveLength(1);
  });
});

describe('variations that are refused together', () => {
  /** A list that refuses whatever departs in more than one respect, and notes how many calls are under way. */
  function refusing(concurrency: number) {
    const asked: string[] = [];
    let under = 0;
    let most = 0;
    const at = async (target: string): Promise<unknown> => {
      const text = target.replace('/list?', '');
      asked.push(text);
      most = Math.max(most, ++under);
      await new Promise((resolve) => setImmediate(resolve));
      under--;
      return text.includes('a&b') ? { kind: 'refused', text } : { kind: 'page', text };
    };
    const context = {
      target: { limits: { concurrency } },
      list: { path: '/list' },
      snapshots: { at: () => ({ at }) },
    } as unknown as ObserverContext;
    return { context, asked, most: () => most };
  }
  const variations = ['a', 'b', 'c', 'd'].map((name) => ({ name, query: name }));

  it('are requested one by one, a few at a time, and reported in order', async () => {
    const list = refusing(4);
    const outcomes = await sendTogether(list.context, variations);
    expect(outcomes).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => [name, { kind: 'page', text: `${name}&$pagesize=1` }]),
    );
    expect(list.most()).toBe(3);
  });

  it('are asked for one by one where the target allows no more, and not at all where they are not refused', async () => {
    const single = refusing(1);
    await sendTogether(single.context, variations);
    expect(single.most()).toBe(1);
    const open = refusing(4);
    const outcomes = await sendTogether(open.context, variations.slice(2));
    expect(open.asked).toEqual(['c&d&$pagesize=1']);
    expect(outcomes.map(([name]) => name)).toEqual(['c', 'd']);
  });
});
