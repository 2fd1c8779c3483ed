import type { Page } from '../../provider/page.ts';
import type { CheckContext } from '../context.ts';
import { Violation } from '../violation.ts';

/**
 * Expects, if count changed during the run, that the list did: that a record is at the end that the last count names, and none
 * behind it. An answer that contradicts its own count proves that count changed alone. Throws Violation.
 */
export async function expectChangeOfRecords(context: CheckContext): Promise<void> {
  const { first, last } = context.list.records.counts ?? { first: 0, last: 0 };
  if (last === first || last < 1) return;
  await context.confirm({ atRest: true }, async (snapshot) => {
    for (const skip of [last - 1, last]) {
      const page = await snapshot.first({ count: true, pageSize: 1, ...(skip > 0 ? { skip } : {}) });
      const isContradicted =
        page.kind === 'page' &&
        typeof page.count === 'number' &&
        (page.itemCount === 0 ? page.count > skip : page.count <= skip);
      if (isContradicted) throw changedAlone(page, first);
    }
  });
}

function changedAlone({ target, itemCount, count, exchange }: Page, first: number): Violation {
  return new Violation({
    key: 'changed count',
    message: `count was ${first} in the first answers of the run and is ${count} now, but GET ${target} gives ${itemCount === 0 ? 'no record' : `${itemCount} record`}: count changed, and the list did not; while the data is at rest, count is the same in every answer`,
    expected: first,
    actual: count ?? null,
    counterexample: { request: target },
    exchanges: [exchange],
  });
}
