import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { recordCount } from '../../src/core/number-format.ts';
import { Blocked, changing } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { attemptUntilSeenAgain } from '../../src/judge/confirmation.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { isLinked } from '../../src/judge/given-place.ts';
import { type FirstPageAnswer, firstPages, requestFirstPage } from '../../src/judge/probes/first-pages.ts';
import {
  countKnownRecords,
  heldThroughout,
  listFacts,
  mainTraversal,
  misplacement,
  recordsAfter,
} from '../../src/judge/probes/list-facts.ts';
import { allTraversals } from '../../src/judge/probes/list-traversals.ts';
import { unlinkedPageOfSecondClient } from '../../src/judge/probes/second-client.ts';
import {
  causeOfUnknownEnd,
  findMissingLink,
  findPageAfterFirst,
} from '../../src/judge/probes/traversal-completeness.ts';
import { isFresh } from '../../src/judge/proofs/data-at-rest.ts';
import { judgeCases, pageRule, type RuleFinding } from '../../src/judge/rules/rule.ts';
import { findFirstFault } from '../../src/judge/traversals.ts';
import { type Breach, Violation, violationOn } from '../../src/judge/violation.ts';
import type { Page } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';
import type { Traversal } from '../../src/provider/traversal.ts';

export const linkPresentWhenMore = requirement({
  id: 'link/present-when-more',
  clause: ['2.3', '4.3.2'],
  smoke: true,
  rule: 'If $count is true, every page with records after it gives a nextPageLink.',
  needs: MORE_THAN_ONE_PAGE,
  tested: `Traverses the list with several page sizes and compares each page without a link with the number of records that
    are known to exist. If the second provider has a list of its own, also looks at its first page.`,
  breach: 'The traversal ends early: a page has no link although records follow.',
  causes: `The member is spelled otherwise (nextpagelink, @odata.nextLink, nextLink). Links are given only if the client
    sends no page size. Links end at an offset (10,000 in search engines). The length of the page, not the total,
    decides whether more follows.`,
  fix: `Name the member nextPageLink. Give it whenever skip plus the records of this page is less than the total, at any
    offset and for any page size.`,
  ...pageRule({
    atRest: true,
    facts: ['list', 'misplaced'],
    oracle: (requested, { list, misplaced }) => {
      const { page, isCounted } = requested;
      if (isCounted !== true || page.itemCount === 0) return null;
      const after = recordsAfter(requested, list) ?? 0;
      if (after <= 0) return null;
      if (isLinked(page)) return 'kept';
      if (misplaced !== null) return misplaced;
      const given = `${page.itemCount} of ${recordCount(list.records)} and no nextPageLink`;
      const sentence = `GET ${page.target} gives ${given}, although ${after} ${after === 1 ? 'follows' : 'follow'}`;
      return missingOn(page, sentence, heldThroughout(list, requested.skip + page.itemCount + 1));
    },
    test: (context) =>
      judgeCases<PageOrTraversal>(
        context,
        {
          atRest: true,
          probes: firstPagesAndTraversals,
          repeat: async (seen, { isSecondAttempt, snapshot }) =>
            isSecondAttempt ? repeatInSnapshot(seen, snapshot) : null,
        },
        (one, attempt) =>
          'traversal' in one ? findMissingOnTraversal(attempt, one) : findMissingOnFirstPage(attempt, one),
      ),
  }),
  testLater: [expectLinkForSecondClient],
});

/** The oracle over the first page of a list that only the second client has. */
async function expectLinkForSecondClient(context: CheckContext): Promise<void> {
  const seen = await unlinkedPageOfSecondClient(context, false);
  if (seen === null) return;
  const message = `GET ${seen.first.target} with a token of the second provider gives no nextPageLink`;
  const { first, next } = await attemptUntilSeenAgain(() => unlinkedPageOfSecondClient(context, true), {
    message,
  });
  const { target, itemCount, count } = first;
  const given = `gives ${itemCount} of ${String(count)} records and no nextPageLink`;
  throw missingOn(
    first,
    `with a token of the second provider: GET ${target} ${given}, and ${next.target} gives another record`,
    { next },
  );
}

/** What may lack a link: a first page or a traversal, with the records that the list is known to hold. */
type PageOrTraversal = (FirstPageAnswer | ComparedTraversal) & { readonly known: number };

interface ComparedTraversal {
  readonly traversal: Traversal;
  readonly traversals: readonly Traversal[];
}

async function* firstPagesAndTraversals(context: CheckContext): AsyncGenerator<PageOrTraversal> {
  const traversals = await allTraversals(context);
  const reached = traversals.map((traversal) => traversal.reached.size);
  const known = Math.max(await countKnownRecords(context.snapshot), ...reached);
  for (const first of await firstPages(context)) yield { ...first, known };
  for (const traversal of traversals) yield { traversal, traversals, known };
}

/** The same first page, or the main traversal, in another snapshot. */
async function repeatInSnapshot(seen: PageOrTraversal, snapshot: Snapshot): Promise<PageOrTraversal> {
  if ('traversal' in seen)
    return {
      traversal: await mainTraversal(snapshot),
      traversals: [],
      known: await countKnownRecords(snapshot),
    };
  return {
    ...(await requestFirstPage(snapshot, seen.first)),
    known: await countKnownRecords(snapshot),
  };
}

async function findMissingOnFirstPage(
  context: CheckContext,
  { first, answer, size, known }: FirstPageAnswer & { readonly known: number },
): Promise<RuleFinding> {
  const { snapshot } = context;
  // An empty first page breaks a rule about page sizes.
  if (first.count !== true || answer.kind !== 'page' || answer.itemCount === 0) return null;
  const isShort = answer.itemCount < known;
  if (isLinked(answer)) return isShort ? 'kept' : null;
  const misplaced = misplacement(answer, snapshot);
  if (misplaced !== null) return misplaced;
  if (isShort)
    return missingOn(
      answer,
      `GET ${answer.target} gives ${answer.itemCount} of at least ${known} records and no nextPageLink`,
      heldThroughout(await listFacts(snapshot), answer.itemCount + 1),
    );
  const next = await findPageAfterFirst(snapshot, answer, size);
  if (next instanceof Blocked) context.limitedBy(next);
  if (next === null || next instanceof Blocked) return null;
  return missingOn(
    answer,
    `GET ${answer.target} gives ${answer.itemCount} of ${answer.count} records and no nextPageLink, ` +
      `and ${next.target} gives ${next.itemCount} others`,
    { next },
  );
}

async function findMissingOnTraversal(
  context: CheckContext,
  { traversal, traversals, known }: ComparedTraversal & { readonly known: number },
): Promise<RuleFinding> {
  const { snapshot } = context;
  const fault = findFirstFault(traversal);
  context.limitedBy(fault);
  const missing = await findMissingLink(snapshot, traversal, traversals, known);
  const last = traversal.steps.at(-1)?.page;
  const misplaced = missing === null || last === undefined ? null : misplacement(last, snapshot);
  if (misplaced !== null) return misplaced;
  const isCertain = contradictsItsEnd(traversal, snapshot);
  // A cache may keep the last page from a moment when no record followed.
  const mayBeOld = missing !== null && !isCertain && last !== undefined;
  if (mayBeOld && !(await isFresh(snapshot.client, [last], snapshot.number)))
    return changing(missing.sentence);
  if (missing !== null)
    return new Violation({
      key: `${traversal.pageSize} ${traversal.steps.length}`,
      message: `${missing.sentence}; ${RULE}`,
      expected: 'a nextPageLink',
      actual: 'none',
      counterexample: { pageSize: traversal.pageSize, page: traversal.steps.length },
      exchanges: missing.exchanges,
      ...(isCertain ? { isForAnyData: true } : {}),
    });
  const obstacle = fault === null ? await causeOfUnknownEnd(snapshot, traversal) : null;
  // A larger count would be a breach of this requirement if a request showed the records.
  const isOfLink = obstacle?.cause.kind === 'blocked' && obstacle.cause.by === 'link/present-when-more';
  context.limitedBy(
    isOfLink
      ? new Blocked('traversal/by-parameters', `${obstacle.message}, and no request shows what follows`)
      : obstacle,
  );
  return traversal.steps.length > 1 ? 'kept' : null;
}

/** Whether the last page is full and its count says that more records follow, as every count of the run does. */
function contradictsItsEnd({ steps }: Traversal, { client }: Snapshot): boolean {
  const last = steps.at(-1);
  if (last === undefined) return false;
  const { count, itemCount } = last.page;
  const least = Math.min(client.pages.counts?.least ?? 0, typeof count === 'number' ? count : 0);
  return least > last.recordsSoFar && itemCount === last.sizeInForce;
}

const RULE = 'a page that has records after it gives a nextPageLink';

function missingOn(
  page: Page,
  sentence: string,
  { next, ...certainty }: { readonly next?: Page } & Pick<Breach, 'heldRecords'>,
): Violation {
  return violationOn(page, {
    message: `${sentence}; ${RULE}`,
    expected: 'a nextPageLink',
    actual: page.link === '' ? '' : 'none',
    further: [next],
    ...certainty,
  });
}
