import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { expectFirstPage, expectPage } from '../../src/judge/probes/expected-page.ts';
import { firstPages, requestUncountedPage, smallPageSize } from '../../src/judge/probes/first-pages.ts';
import { countKnownRecords } from '../../src/judge/probes/list-facts.ts';
import { type RequestedPage, requestedPageOf } from '../../src/judge/probes/requested-page.ts';
import { pageRule } from '../../src/judge/rules/rule.ts';
import { printLink } from '../../src/judge/traversals.ts';
import { violationOn } from '../../src/judge/violation.ts';
import { countsMoreThanGiven } from '../../src/provider/page.ts';

export const linkAbsentWithoutCount = requirement({
  id: 'link/absent-without-count',
  clause: ['2.3', '4.3.1'],
  smoke: true,
  rule: 'If $count is left out or false, the answer gives no nextPageLink, even if more records exist.',
  needs: MORE_THAN_ONE_PAGE,
  tested: `Requests pages smaller than the list without $count, and a page within the list with $count=false, and checks
    that they give no link.`,
  breach: 'nextPageLink is given although $count is not enabled.',
  causes: `A link is built whenever a page is full, as the server-driven paging of stock ASP.NET OData does. The code tests
    whether $count is present, not whether it is true.`,
  fix: 'Build the link only if the parsed value of $count is true.',
  ...pageRule({
    atRest: false,
    probes: uncountedPages,
    holdsForEncodedNames: true,
    facts: ['list'],
    oracle: ({ page, isCounted }, { list }) => {
      if (isCounted !== false) return null;
      if (page.link === undefined) return list.known > page.itemCount ? 'kept' : null;
      return violationOn(page, {
        message:
          `GET ${page.target} was answered with a nextPageLink (${printLink(page.link)}); ` +
          'without $count=true none is given',
        expected: 'no nextPageLink',
        actual: page.link,
      });
    },
  }),
});

/** First pages without `$count`, one of them smaller than the list, and one with `$count=false`. */
async function* uncountedPages(context: CheckContext): AsyncGenerator<RequestedPage | null> {
  const { snapshot } = context;
  const firsts = await firstPages(context);
  for (const { first, answer } of firsts) if (first.count !== true) yield requestedPageOf(answer);
  const size = Math.max(1, await smallPageSize(context));
  yield requestedPageOf(await expectFirstPage(snapshot, { pageSize: size }));
  const within = await requestUncountedPage(context);
  yield requestedPageOf(await expectPage(snapshot, within, { count: false, pageSize: size }));
  const counted = firsts.flatMap(({ first, answer }) =>
    first.count === true && answer.kind === 'page' ? [answer] : [],
  );
  const known = await countKnownRecords(snapshot);
  // A provider that never gives a link, or names it otherwise, shows nothing here.
  if (
    counted.length > 0 &&
    counted.every((page) => page.link === undefined) &&
    counted.some((page) => page.itemCount < known || countsMoreThanGiven(page))
  )
    context.limitedBy(new Blocked('link/present-when-more', 'no page gives a nextPageLink at all'));
}
