import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { expectFirstPage } from '../../src/judge/expected-page.ts';
import { type SizeCase, uncountedFirstPage } from '../../src/judge/first-pages.ts';
import { allTraversals, countKnownRecords } from '../../src/judge/list-traversals.ts';
import { soundSteps } from '../../src/judge/missteps.ts';
import { judgeEveryPage } from '../../src/judge/page-rule.ts';
import { firstPageFor, pageSizeProperty, requestLine } from '../../src/judge/page-size-property.ts';
import { MAX_PAGE_SIZE } from '../../src/judge/page-sizes.ts';
import { traversalName } from '../../src/judge/traversals.ts';
import { Violation } from '../../src/judge/violation.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

export const pageSizeLimit = requirement({
  id: 'page-size/limit',
  clause: ['4.2', '4.3.1'],
  smoke: true,
  rule: 'For every n from 1 to 500, with and without $count, a page holds no more than n records.',
  needs: null,
  tested: prose`Requests page sizes at the edges (1, 2, 499, 500, around N and its divisors) and sizes drawn from the run's
    seed, with and without $count=true, once with $count=false, and checks every traversal page. Shrinks a breach to
    the smallest page size that shows it.`,
  breach: 'A page holds n + 1 records, or $pagesize has no effect.',
  causes: prose`One more row is fetched to find out whether a next page exists, and never dropped. $pagesize is read under
    another name ($top, pageSize) or only without the $. The page size is applied before a join that multiplies
    rows. A bound is inclusive by mistake (BETWEEN skip AND skip + n).`,
  fix: prose`Drop the row that was fetched to look ahead. Apply the limit to records, not to joined rows. Read the parameter
    as $pagesize after decoding.`,
  judge: async (context) => {
    await context.property(await pageSizeProperty(context, false), (snapshot, size) =>
      expectAtMost(context, snapshot, size),
    );
    await context.confirm({ atRest: false }, async (snapshot) => {
      const disabled = await uncountedFirstPage(context, snapshot);
      const page = await snapshot.first(disabled);
      const size = Number(disabled.pageSize ?? MAX_PAGE_SIZE);
      if (page.kind === 'page' && page.itemCount > size)
        throw new Violation({
          key: page.target,
          message: `${requestLine(snapshot, disabled)} was answered with ${page.itemCount} records; a page holds at most ${size}`,
          expected: `at most ${size}`,
          actual: page.itemCount,
          counterexample: { pageSize: size, count: false },
          exchanges: [page.exchange],
        });
      for (const traversal of await allTraversals(context, snapshot)) {
        for (const { page, sizeInForce, number } of soundSteps(traversal).slice(1)) {
          if (page.itemCount <= sizeInForce) continue;
          throw new Violation({
            key: `${traversal.pageSize} page ${number}`,
            message: `page ${number} of ${traversalName(traversal)} holds ${page.itemCount} records; the page size in force is ${sizeInForce}`,
            expected: `at most ${sizeInForce}`,
            actual: page.itemCount,
            counterexample: { pageSize: sizeInForce, page: number },
            exchanges: [page.exchange],
          });
        }
      }
    });
    await judgeEveryPage(context, { atRest: false }, ({ page, pageSize, size }) => {
      // Without a size page-size/default speaks of it.
      if (pageSize === null || size === null || page.itemCount <= size) return null;
      return new Violation({
        key: page.target,
        message: `GET ${page.target} was answered with ${page.itemCount} records; a page holds at most ${size}`,
        expected: `at most ${size}`,
        actual: page.itemCount,
        counterexample: { request: page.target, pageSize: size },
        exchanges: [page.exchange],
      });
    });
  },
});

async function expectAtMost(context: CheckContext, snapshot: Snapshot, value: SizeCase): Promise<void> {
  const size = value.pageSize;
  const page = await expectFirstPage(snapshot, firstPageFor(value));
  if (size < (await countKnownRecords(snapshot))) context.exercised();
  if (page.itemCount <= size) return;
  throw new Violation({
    key: `${size} ${value.count}`,
    message: `${requestLine(snapshot, firstPageFor(value))} was answered with ${page.itemCount} records; a page holds at most ${size}`,
    expected: `at most ${size}`,
    actual: page.itemCount,
    counterexample: { pageSize: size, count: value.count },
    exchanges: [page.exchange],
  });
}
