import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { firstPages } from '../../src/judge/first-pages.ts';
import { countsMoreThanGiven } from '../../src/judge/link-parameters.ts';
import { positionOf } from '../../src/judge/list-position.ts';
import { allTraversals, countKnownRecords } from '../../src/judge/list-traversals.ts';
import { causeOfDoubtfulEnd, findMissingLink, requestFollowingPage } from '../../src/judge/missing-link.ts';
import { blockedByMisstep, firstMisstep } from '../../src/judge/missteps.ts';
import { judgeEveryPage } from '../../src/judge/page-rule.ts';
import { Violation } from '../../src/judge/violation.ts';
import type { Page } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

export const linkPresentWhenMore = requirement({
  id: 'link/present-when-more',
  clause: ['2.3', '4.3.2'],
  smoke: true,
  rule: 'If $count is true, every page with records after it gives a nextPageLink.',
  needs: MORE_THAN_ONE_PAGE,
  tested: prose`Traverses the list with several page sizes and compares each page without a link with the number of records that
    are known to exist.`,
  breach: 'The traversal ends early: a page has no link although records follow.',
  causes: prose`The member is spelled otherwise (nextpagelink, @odata.nextLink, nextLink). Links are given only if the client
    sends no page size. Links end at an offset (10,000 in search engines). The length of the page, not the total,
    decides whether more follows.`,
  fix: prose`Name the member nextPageLink. Give it whenever skip plus the records of this page is less than the total, at any
    offset and for any page size.`,
  judge: async (context) => {
    await context.confirm({ atRest: true }, async (snapshot) => {
      const traversals = await allTraversals(context, snapshot);
      const known = Math.max(
        await countKnownRecords(snapshot),
        ...traversals.map((traversal) => traversal.reached.size),
      );
      for (const { first, answer, size } of await firstPages(context, snapshot)) {
        if (first.count !== true || answer.kind !== 'page') continue;
        if (answer.itemCount < known) context.exercised();
        if (answer.link !== undefined && answer.link !== '') continue;
        const further = answer.itemCount < known ? null : await furtherThan(context, snapshot, answer, size);
        if (answer.itemCount >= known && further === null) continue;
        throw new Violation({
          key: answer.target,
          message: `GET ${answer.target} gives ${answer.itemCount} of ${further === null ? known : answer.count} records and no nextPageLink${further === null ? '' : `, yet ${further.target} gives ${further.itemCount} others`}; a page that has records after it gives one`,
          expected: 'a nextPageLink',
          actual: answer.link === '' ? '' : 'none',
          counterexample: { request: answer.target },
          exchanges: [answer.exchange, ...(further === null ? [] : [further.exchange])],
        });
      }
      for (const traversal of traversals) {
        const misstep = firstMisstep(traversal);
        if (misstep !== null) context.limitedBy(blockedByMisstep(misstep));
        const missing = await findMissingLink(snapshot, traversal, { traversals, known });
        if (missing !== null) {
          throw new Violation({
            key: `${traversal.pageSize} ${traversal.steps.length}`,
            message: `${missing.sentence}; a page that has records after it gives a nextPageLink`,
            expected: 'a nextPageLink',
            actual: 'none',
            counterexample: { pageSize: traversal.pageSize, page: traversal.steps.length },
            exchanges: missing.exchanges,
          });
        }
        if (traversal.steps.length > 1) context.exercised();
        const doubt = misstep === null ? await causeOfDoubtfulEnd(snapshot, traversal) : null;
        if (doubt !== null)
          context.limitedBy(
            new Blocked('traversal/by-parameters', `${doubt.message}, and what follows cannot be seen`),
          );
      }
    });
    await judgeEveryPage(context, { atRest: true }, async (asked, snapshot) => {
      const { page, counting } = asked;
      if (counting !== true || page.itemCount === 0 || (page.link !== undefined && page.link !== ''))
        return null;
      const place = await positionOf(asked, snapshot);
      if (place === null || place.after <= 0) return null;
      context.exercised();
      return new Violation({
        key: page.target,
        message: `GET ${page.target} gives ${page.itemCount} of ${place.records} records and no nextPageLink, although ${place.after} follow; a page that has records after it gives one`,
        expected: 'a nextPageLink',
        actual: page.link === '' ? '' : 'none',
        counterexample: { request: page.target },
        exchanges: [page.exchange],
      });
    });
  },
});

/** The page behind a full first one that counts more than it gives, where it holds further records. */
async function furtherThan(
  context: CheckContext,
  snapshot: Snapshot,
  page: Page,
  size: number,
): Promise<Page | null> {
  if (!countsMoreThanGiven(page) || page.itemCount < size) return null;
  const next = await requestFollowingPage(snapshot, { sizeInForce: size, given: page.itemCount });
  const given = new Set(page.identities);
  const behind = next.kind === 'page' ? next.identities : [];
  if (next.kind === 'page' && behind.length > 0 && behind.every((identity) => !given.has(identity)))
    return next;
  if (next.kind === 'page' && next.itemCount === 0) return null;
  const doubt = `${page.target} counts ${page.count} records, gives ${page.itemCount} and no nextPageLink, and what is behind them cannot be seen`;
  context.limitedBy(new Blocked('traversal/by-parameters', doubt));
  return null;
}
