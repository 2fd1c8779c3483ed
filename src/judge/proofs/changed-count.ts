import { Blocked, Undecided } from '../../core/undecided.ts';
import type { Page } from '../../provider/page.ts';
import { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { countProvenRecords } from '../list-position.ts';
import { mainTraversal } from '../probes/list-traversals.ts';
import { Violation } from '../violation.ts';

/**
 * Expects that the list changed if count changed during the run: the last count names the last record, and no record
 * follows it. An answer that contradicts its own count proves that only count changed. Throws Violation; Blocked if
 * count was already wrong in the main traversal or $skip is read wrongly; Undecided if no traversal shows the length of
 * the list.
 */
export async function expectChangeOfRecords(context: CheckContext): Promise<void> {
  const { first, last } = context.list.records.counts ?? { first: 0, last: 0 };
  if (last === first || last < 1) return;
  const { steps } = await mainTraversal(context.snapshot);
  const wasRight = steps[0]?.page.count === (await countProvenRecords(context.snapshot));
  await context.confirm({ atRest: false }, async (snapshot) => {
    for (const skip of [last - 1, last]) {
      const page = await snapshot.first({ count: true, pageSize: 1, ...(skip > 0 ? { skip } : {}) });
      const isContradicted =
        page.kind === 'page' &&
        typeof page.count === 'number' &&
        (page.itemCount === 0 ? page.count > skip : page.count <= skip);
      if (!isContradicted) continue;
      const sentence = `GET ${page.target} gives ${page.itemCount === 0 ? 'no record' : `${page.itemCount} record`}`;
      // The first snapshot may be older than the change.
      const records = await countProvenRecords(new Snapshot(context.list));
      if (records === null)
        throw new Undecided({ kind: 'changing' }, `count is ${page.count}, but ${sentence}`);
      if (records === page.count)
        throw new Blocked(
          'traversal/by-parameters',
          `${sentence}, and the traversal reaches as many records as count says, ${records}`,
        );
      if (!wasRight) throw new Blocked('count/equals-records', `count is ${page.count}, but ${sentence}`);
      throw changedAlone(page, first, sentence);
    }
  });
}

function changedAlone({ target, count, exchange }: Page, first: number, sentence: string): Violation {
  return new Violation({
    key: 'changed count',
    message:
      `count was ${first} in the first answers of the run and is ${count} now, but ${sentence}: ` +
      'count changed, and the list did not; while the data is at rest, count is the same in every answer',
    expected: first,
    actual: count ?? null,
    counterexample: { request: target },
    exchanges: [exchange],
  });
}
