import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { countFault, exceedsNumbers, printCount, reportedCount } from '../../src/judge/count-value.ts';
import { intactTraversals, wholeTraversals } from '../../src/judge/list-traversals.ts';
import { firstObstacle } from '../../src/judge/traversal-completeness.ts';
import { reachSameRecords, traversalName } from '../../src/judge/traversals.ts';
import { Violation } from '../../src/judge/violation.ts';
import { countText } from '../../src/provider/page.ts';

export const countEqualsRecords = requirement({
  id: 'count/equals-records',
  clause: ['2.3', '4.3.2'],
  smoke: true,
  rule: 'While the data is at rest, count is the number of distinct records that a traversal of the list reaches.',
  needs: null,
  tested: prose`Traverses the list to its end, counts distinct identifiers and compares the number with count. Repeats both
    before it reports a difference.`,
  breach: 'count is 1,234 and the traversal reaches 1,233, or the reverse.',
  causes: prose`count is computed before filters by tenant, permission or deletion that the list applies, or after. It is the
    length of the page. It has a cap such as 10,000. It counts rows of a join instead of records.`,
  fix: 'Count with the same filter that reads the pages: same permissions, same deleted flag, no cap, distinct records.',
  judge: async (context) => {
    await context.confirm({ atRest: true }, async (snapshot) => {
      const whole = await wholeTraversals(context, snapshot);
      const traversals = await intactTraversals(snapshot, whole);
      const obstacle = await firstObstacle(snapshot, whole);
      if (obstacle !== null && traversals.length === whole.length) throw obstacle;
      const main = traversals[0];
      if (main !== undefined && !traversals.every((traversal) => reachSameRecords(main, traversal))) {
        throw new Blocked('traversal/same-records', 'page sizes reach different records');
      }
      for (const traversal of traversals) {
        const reached = traversal.reached.size;
        const counts = traversal.steps.map((step) => step.page).filter((page) => countFault(page) === null);
        if (counts.length === 0)
          throw new Blocked('count/present', `no page of ${traversalName(traversal)} gives a count`);
        context.exercised();
        const wrong = counts.find((page) => countText(page) !== String(reached));
        if (wrong === undefined) continue;
        if (counts.some((page) => countText(page) === String(reached)))
          throw new Blocked('count/stable', `count differs between the pages of ${traversalName(traversal)}`);
        const given = traversal.steps.at(-1)?.given ?? 0;
        if (given > reached)
          throw new Blocked(
            'traversal/no-duplicates',
            `${traversalName(traversal)} gives ${given} records, ${reached} of them distinct`,
          );
        throw new Violation({
          key: `${traversal.pageSize} ${countText(wrong)} ${reached}`,
          message: `count is ${printCount(wrong)}, and ${traversalName(traversal)} reaches ${reached} records; while the data is at rest they are equal`,
          expected: exceedsNumbers(wrong) ? String(reached) : reached,
          actual: reportedCount(wrong),
          counterexample: { pageSize: traversal.pageSize },
          exchanges: [wrong.exchange, ...traversal.steps.slice(-1).map((step) => step.page.exchange)],
        });
      }
      if (obstacle !== null) throw obstacle;
    });
  },
});
