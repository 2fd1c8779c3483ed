import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { mayHoldDuplicates } from '../../src/judge/duplicate-records.ts';
import {
  compareTraversals,
  completeTraversals,
  findUnreachedRecord,
  type TraversalDifference,
  type UnreachedRecord,
} from '../../src/judge/traversal-comparison.ts';
import { fullestOf, traversalName } from '../../src/judge/traversals.ts';
import { type Breach, Violation } from '../../src/judge/violation.ts';
import type { Traversal } from '../../src/provider/traversal.ts';

export const traversalSameRecords = requirement({
  id: 'traversal/same-records',
  clause: ['4.3.2', '4.3.3'],
  smoke: false,
  rule: 'Traversals with different page sizes reach the same set of records.',
  needs: MORE_THAN_ONE_PAGE,
  tested: prose`Compares the sets of identifiers of traversals with different page sizes, if the data was at rest before and
    after.`,
  breach: 'A record appears with one page size and not with another.',
  causes: prose`An unstable order. Border rows are left out (an exclusive bound, an offset that is one too high). Filters or
    de-duplication run after the limit. The list is cut off after a fixed number of pages.`,
  fix: prose`Use one query and one order for all page sizes, count $skip in records, and apply paging last, before the
    projection only.`,
  judge: async (context) => {
    await context.confirm({ atRest: true }, async (snapshot) => {
      const { complete, obstacle } = await completeTraversals(context, snapshot);
      const isPaged = complete.some((traversal) => traversal.steps.length > 1);
      const fullest = fullestOf(complete);
      if (fullest === null || !isPaged || complete.length < 2) {
        if (obstacle !== null) throw obstacle;
        return;
      }
      const breaches: Breach[] = [];
      for (const traversal of complete) {
        if (traversal === fullest) continue;
        context.exercised();
        const difference = compareTraversals(fullest, traversal);
        if (difference === null) continue;
        if (mayHoldDuplicates(traversal.steps))
          throw new Blocked(
            'traversal/no-duplicates',
            `${traversalName(traversal)} gives some records twice and does not reach others`,
          );
        breaches.push(otherRecords(difference, context.list.resource.name));
      }
      if (breaches.length > 0) throw new Violation(breaches);
      const unreached = await findUnreachedRecord(context, snapshot, complete);
      if (unreached !== null) throw new Violation(unreachedRecord(unreached, complete));
      if (obstacle !== null) throw obstacle;
    });
  },
});

function otherRecords(
  { fullest, traversal, missing, further, exchanges }: TraversalDifference,
  list: string,
): Breach {
  const parts = [
    ...(missing.length > 0
      ? [
          `misses ${missing.length} ${missing.length === 1 ? 'record' : 'records'} that ${traversalName(fullest)} reaches`,
        ]
      : []),
    ...(further.length > 0 ? [`reaches ${further.length} that ${traversalName(fullest)} misses`] : []),
  ];
  return {
    key: `${traversal.pageSize} ${missing.slice(0, 1000).join()} ${further.slice(0, 1000).join()}`,
    message: `${traversalName(traversal)} ${parts.join(' and ')}; every page size reaches the same records`,
    expected: fullest.reached.size,
    actual: traversal.reached.size,
    counterexample: { pageSize: traversal.pageSize, against: fullest.pageSize, list },
    exchanges,
  };
}

/** A traversal with the page size of that first page would reach other records. */
function unreachedRecord(
  { first, answer, identity }: UnreachedRecord,
  [traversal]: readonly Traversal[],
): Breach {
  const name = traversal === undefined ? 'no traversal' : traversalName(traversal);
  return {
    key: `${answer.target} ${identity}`,
    message: `GET ${answer.target} gives a record that ${name} never reaches; every page size reaches the same records`,
    expected: 'records that every traversal reaches',
    actual: 'another record',
    counterexample: { pageSize: first.pageSize ?? null },
    exchanges: [answer.exchange],
  };
}
