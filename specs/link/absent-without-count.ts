import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeEveryPage } from '../../src/judge/every-page.ts';
import { countFalse, firstPages, knownRecords, pageOf } from '../../src/judge/evidence.ts';
import { Violation } from '../../src/judge/findings.ts';
import { countsMore } from '../../src/judge/link-parameters.ts';
import { shown } from '../../src/judge/list-end.ts';
import type { ListAnswer, Page } from '../../src/provider/page.ts';

export const linkAbsentWithoutCount = requirement({
  id: 'link/absent-without-count',
  clause: ['2.3', '4.3.1'],
  smoke: true,
  rule: 'When $count is left out or false, the answer gives no nextPageLink, even where more records exist.',
  needs: MORE_THAN_ONE_PAGE,
  tested: prose`Asks for pages smaller than the list without $count, and with $count=false from within the list, and looks
      for a link.`,
  breach: 'nextPageLink is given although nobody enabled $count.',
  causes: prose`Links made whenever a page is full, as the server-driven paging of stock ASP.NET OData does; $count
      tested for being present and not for being true.`,
  fix: prose`Make the link only where the parsed value of $count is true.`,
  judge: async (context) => {
    await context.settle({ atRest: false }, async (view) => {
      const known = await knownRecords(view);
      const expectNone = (page: ListAnswer): void => {
        if (page.kind !== 'page') return;
        if (known > page.itemCount) context.exercised();
        if (page.link !== undefined) throw unaskedLink(page);
      };
      const firsts = await firstPages(context, view);
      for (const { first, answer } of firsts) if (first.count !== true) expectNone(answer);
      const size = Math.min(7, Math.max(1, known - 1));
      for (const first of [{ pageSize: size }, await countFalse(context, view)])
        expectNone(await pageOf(view, first));
      const counted = firsts.flatMap(({ first, answer }) =>
        first.count === true && answer.kind === 'page' ? [answer] : [],
      );
      // Where links are missed, or called otherwise, that none is given shows nothing.
      if (counted.length > 0 && counted.every((page) => page.link === undefined) && counted.some(countsMore))
        context.curtailed(new Blocked('link/present-when-more', 'no page gives a nextPageLink at all'));
    });
    await judgeEveryPage(context, { atRest: false }, ({ page, counting }) =>
      counting === false && page.link !== undefined ? unaskedLink(page) : null,
    );
  },
});

/** The breach of a page that was asked for without $count=true and links on. */
function unaskedLink(page: Page): Violation {
  return new Violation({
    key: page.target,
    message: `GET ${page.target} was answered with a nextPageLink (${shown(page.link ?? null)}); without $count=true none is given`,
    expected: 'no nextPageLink',
    actual: page.link ?? null,
    counterexample: { request: page.target },
    exchanges: [page.exchange],
  });
}
