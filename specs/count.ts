import type { Json } from '../src/core/results.ts';
import { Blocked } from '../src/core/undecided.ts';
import { isOtherSuccess } from '../src/judge/accepted.ts';
import { pagesByParameters } from '../src/judge/by-parameters.ts';
import { check } from '../src/judge/check.ts';
import type { CheckContext } from '../src/judge/context.ts';
import { judgeEveryPage } from '../src/judge/every-page.ts';
import { allOf, countedPagesInTurn, wholeWalks } from '../src/judge/evidence.ts';
import { Violation } from '../src/judge/findings.ts';
import { firstObstacle, sameRecords, walkName } from '../src/judge/walks.ts';
import { countText, type Page } from '../src/provider/page.ts';
import { kindOf } from '../src/provider/schemas.ts';
import type { View } from '../src/provider/view.ts';

/** Chapter count (2.3, 4.3.2). */
export const count = [
  check('count/present', async (context) => {
    await context.settle({ atRest: false }, async (view) => {
      const plain = await view.first({});
      const counted = await view.first({ count: true });
      if (plain.kind === 'page' && isOtherSuccess(counted))
        throw new Blocked('authorization/accepted', `$count=true is answered ${counted.status}`);
      if (plain.kind === 'page' && counted.kind === 'refused') {
        throw new Violation({
          key: 'refused',
          message: `GET ${counted.target} was answered ${counted.status}; with $count=true the list is given with its count`,
          expected: 200,
          actual: counted.status,
          exchanges: [counted.exchange, plain.exchange],
        });
      }
      if (plain.kind !== 'page')
        throw new Blocked(plain.kind === 'refused' ? 'authorization/accepted' : 'list/envelope', plain.why);
      for await (const { page, number } of countedInTurn(context, view)) {
        context.exercised();
        const fault = faultOf(page);
        if (fault === null) continue;
        throw new Violation({
          key: `${number === 1} ${fault.replaceAll(/\d+/g, 'N')}`,
          message: `count ${fault} in the answer to ${page.target} (page ${number}); with $count=true every page gives it as an integer of 0 or more`,
          expected: 'an integer of 0 or more',
          actual: told(page) ?? 'none',
          counterexample: { request: page.target, page: number },
          exchanges: [page.exchange],
        });
      }
    });
    await judgeEveryPage(context, { atRest: false }, ({ page, counting }) => {
      const fault = counting === true ? faultOf(page) : null;
      if (fault === null) return null;
      return new Violation({
        key: page.target,
        message: `count ${fault} in the answer to ${page.target}; with $count=true every page gives it as an integer of 0 or more`,
        expected: 'an integer of 0 or more',
        actual: told(page) ?? 'none',
        counterexample: { request: page.target },
        exchanges: [page.exchange],
      });
    });
  }),

  check('count/stable', async (context) => {
    await context.settle({ atRest: true }, async (view) => {
      let first: Page | null = null;
      let uncounted: Page | null = null;
      const targets = new Set<string>();
      for await (const { page } of countedInTurn(context, view)) {
        if (faultOf(page) !== null) {
          uncounted ??= page;
          continue;
        }
        if (first !== null && !targets.has(page.target)) context.exercised();
        targets.add(page.target);
        first ??= page;
        if (countText(page) === countText(first)) continue;
        throw otherCount(page, first);
      }
      if (first === null) throw new Blocked('count/present', 'no page gives a count');
      if (uncounted !== null)
        throw new Blocked(
          'count/present',
          `count ${faultOf(uncounted)} in the answer to ${uncounted.target}`,
        );
    });
    await judgeEveryPage(context, { atRest: true }, async ({ page, counting }, view) => {
      const first = await view.first({ count: true });
      if (counting !== true || first.kind !== 'page' || faultOf(page) !== null || faultOf(first) !== null)
        return null;
      return countText(page) === countText(first) ? null : otherCount(page, first);
    });
  }),

  check('count/equals-records', async (context) => {
    await context.settle({ atRest: true }, async (view) => {
      const walks = await wholeWalks(context, view);
      const obstacle = await firstObstacle(view, walks);
      if (obstacle !== null) throw obstacle;
      const main = walks[0];
      if (main !== undefined && !walks.every((walk) => sameRecords(main, walk))) {
        throw new Blocked('traversal/same-records', 'page sizes reach different records');
      }
      for (const walk of walks) {
        const reached = walk.reached.size;
        const counts = walk.steps.map((step) => step.page).filter((page) => faultOf(page) === null);
        if (counts.length === 0)
          throw new Blocked('count/present', `no page of ${walkName(walk)} gives a count`);
        context.exercised();
        const wrong = counts.find((page) => countText(page) !== String(reached));
        if (wrong === undefined) continue;
        if (counts.some((page) => countText(page) === String(reached)))
          throw new Blocked('count/stable', `count differs between the pages of ${walkName(walk)}`);
        const given = walk.steps.at(-1)?.given ?? 0;
        if (given > reached)
          throw new Blocked(
            'traversal/no-duplicates',
            `${walkName(walk)} gives ${given} records, ${reached} of them distinct`,
          );
        throw new Violation({
          key: `${walk.pageSize} ${countText(wrong)} ${reached}`,
          message: `count is ${shown(wrong)}, and ${walkName(walk)} reaches ${reached} records; while the data rests they are equal`,
          expected: isBeyondNumbers(wrong) ? String(reached) : reached,
          actual: told(wrong),
          counterexample: { pageSize: walk.pageSize },
          exchanges: [wrong.exchange, ...walk.steps.slice(-1).map((step) => step.page.exchange)],
        });
      }
    });
  }),
];

/** The breach of a page that gives another count than the first one. */
function otherCount(page: Page, first: Page): Violation {
  return new Violation({
    key: `${first.target} ${countText(first)} ${page.target} ${countText(page)}`,
    message: `count is ${shown(first)} in the answer to ${first.target} and ${shown(page)} in that to ${page.target}; it is the same on every page and for every page size`,
    expected: isBeyondNumbers(page) ? shown(first) : told(first),
    actual: isBeyondNumbers(first) ? shown(page) : told(page),
    counterexample: { request: page.target },
    exchanges: [page.exchange, first.exchange],
  });
}

/** Every page with a count: those of first calls and walks, and those asked for by their parameters. */
async function* countedInTurn(
  context: CheckContext,
  view: View,
): AsyncGenerator<{ readonly page: Page; readonly number: number }> {
  yield* countedPagesInTurn(context, view);
  yield* await countedByParameters(context, view);
}

/** Pages that were asked for by parameters instead of by their links; those that are no pages are left out. */
async function countedByParameters(
  context: CheckContext,
  view: View,
): Promise<readonly { readonly page: Page; readonly number: number }[]> {
  const asked = await pagesByParameters(context, view);
  const answers = await allOf(
    asked.map(async ({ query, step }) => ({ page: await view.query(query), number: step.number })),
  );
  return answers.flatMap(({ page, number }) => (page.kind === 'page' ? [{ page, number }] : []));
}

/** What is wrong with a page's count, as half a sentence; null where it is an integer of 0 or more. */
function faultOf(page: Page): string | null {
  if (page.count === undefined) return 'is missing';
  if (page.exactCount?.integer === false) return 'is a number instead of an integer';
  if (typeof page.count !== 'number' || !Number.isInteger(page.count))
    return `is ${kindOf(page.count)} instead of an integer`;
  return page.count < 0 ? `is ${page.count}, less than 0` : null;
}

/** The digits of a page's count, cut where there are very many. */
function shown(page: Page): string {
  const text = countText(page) ?? '';
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length} digits)` : text;
}

/** The count of a page as it was given: a number, or its digits where a number would be another one. */
function told(page: Page): Json {
  return isBeyondNumbers(page) ? shown(page) : (page.count ?? null);
}

function isBeyondNumbers({ count, exactCount }: Page): boolean {
  return exactCount !== null && exactCount.text !== String(count);
}
