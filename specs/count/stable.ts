import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { countedInTurn, faultOf, isBeyondNumbers, shown, told } from '../../src/judge/count-value.ts';
import { judgeEveryPage } from '../../src/judge/every-page.ts';
import { Violation } from '../../src/judge/findings.ts';
import { countText, type Page } from '../../src/provider/page.ts';

export const countStable = requirement({
  id: 'count/stable',
  clause: ['2.3', '4.3.2'],
  smoke: false,
  rule: 'As long as the data rests, count has the same value on every page and for every page size.',
  needs: null,
  tested: prose`Compares count over all pages and page sizes of the run, and repeats the walk before it calls a
      difference a breach.`,
  breach: 'count differs from page to page, or from page size to page size.',
  causes: prose`count of what remains after $skip; the number of pages, or of records on this page; an estimate of the
      database's statistics; replicas that lag behind one another.`,
  fix: prose`Count the whole filtered list for every page, without page size, offset or cap, and from the
      same source; or take the number once and keep it for the walk.`,
  judge: async (context) => {
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
  },
});

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
