import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { recordsAfter } from '../../src/judge/list-facts.ts';
import { awaitAll } from '../../src/judge/parallel-map.ts';
import { firstPages } from '../../src/judge/probes/first-pages.ts';
import {
  expectNoLinkAtEnd,
  expectNoLinkOnLastPage,
  expectNoLinkWhenRepeated,
  lastPageRequests,
  needlessLink,
} from '../../src/judge/probes/last-page.ts';
import { intactTraversals, wholeTraversals } from '../../src/judge/probes/list-traversals.ts';
import { findBrokenParameters } from '../../src/judge/probes/pages-by-parameters.ts';
import {
  causeOfIncompleteness,
  causeOfMissingIdentifier,
  firstObstacle,
} from '../../src/judge/proofs/traversal-completeness.ts';
import { pageRule } from '../../src/judge/rules/page-rule.ts';
import { lastStepWithNewRecords, reachSameRecords, type TraversalFault } from '../../src/judge/traversals.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';
import type { Traversal } from '../../src/provider/traversal.ts';

export const linkAbsentAtTheEnd = requirement({
  id: 'link/absent-at-the-end',
  clause: ['2.3', '4.3.2'],
  rule: 'The page with the last record gives no nextPageLink, also if n divides N, equals N or is greater than N.',
  tested: `Traverses the list with page sizes that divide N, that equal N (if N is at most 500) and that do neither, and
    requests more records than a short list has. Except in smoke, requests the last page of the first traversal
    twice.`,
  breach:
    'The last page links to an empty page, to itself, or to the start. An empty string counts as a link, too.',
  causes: `"A full page means that there is more", which is wrong exactly if n divides N. skip + n <= total instead of <. A
    page count that starts at 0 in one place and at 1 in another.`,
  fix: `Compare skip plus the records of this page with the total, by a plain 'less than', and leave the member out if
    nothing follows.`,
  ...pageRule({
    atRest: true,
    facts: ['list'],
    oracle: (requested, { list }) => {
      const { page, counting } = requested;
      const after = counting === true ? recordsAfter(requested, list) : null;
      if (after === null || after > 0 || page.count !== list.records) return null;
      return page.link === undefined ? 'kept' : needlessLink(page, `the last of ${list.records} records`);
    },
    test: async (context) => {
      await context.confirm({ atRest: true }, (snapshot) => expectNoLinkAtAnyEnd(context, snapshot));
    },
  }),
});

/** Follows the traversals to their ends and requests last pages by their offset. */
async function expectNoLinkAtAnyEnd(context: CheckContext, snapshot: Snapshot): Promise<void> {
  const whole = await wholeTraversals(context, snapshot);
  const traversals = await intactTraversals(snapshot, whole);
  const main = traversals[0];
  if (main === undefined) throw new Error('there is always a main traversal');
  if (!main.identified) throw causeOfMissingIdentifier(snapshot, main);
  let fault: TraversalFault | null = null;
  for (const traversal of traversals)
    fault ??= await expectNoLinkAtEnd(context, snapshot, traversal, traversals);
  if (fault !== null) throw fault;
  await expectSameEnd(snapshot, main, traversals);
  await expectNoLinkWithAllRecords(context, snapshot, main);
  await expectNoLinkWhenRepeated(context, snapshot, main);
  if (traversals.length < whole.length) context.limitedBy(await firstObstacle(snapshot, whole));
}

/** Throws Blocked if the traversals do not show where the list ends. */
async function expectSameEnd(
  snapshot: Snapshot,
  main: Traversal,
  traversals: readonly Traversal[],
): Promise<void> {
  const known = main.reached.size;
  const duplicates = new Blocked('traversal/no-duplicates', 'the traversal gives records more than once');
  // Checked first: with duplicates before the last new record the end of the list is not known.
  if ((lastStepWithNewRecords(main)?.recordsSoFar ?? 0) > known) throw duplicates;
  const obstacle = await causeOfIncompleteness(snapshot, main, traversals);
  if (obstacle !== null) throw obstacle;
  if (main.steps.at(-1)?.recordsSoFar !== known) throw duplicates;
  if (traversals.every((traversal) => reachSameRecords(main, traversal))) return;
  const otherwise = new Blocked('traversal/same-records', 'page sizes reach different records');
  throw (await firstObstacle(snapshot, traversals)) ?? otherwise;
}

/** Throws Violation for a link on a first page with all records, or on a last page that is requested by its offset. */
async function expectNoLinkWithAllRecords(
  context: CheckContext,
  snapshot: Snapshot,
  main: Traversal,
): Promise<void> {
  const known = main.reached.size;
  const lastPages = context.options.suite === 'smoke' ? [] : lastPageRequests(known);
  // Requested in parallel with the first pages, except when a breach is confirmed.
  const early = snapshot === context.snapshot ? lastPages.map((request) => snapshot.first(request)) : [];
  const [pages] = await awaitAll([firstPages(context, snapshot), Promise.allSettled(early)]);
  for (const { first, answer, size } of pages) {
    if (first.count !== true || answer.kind !== 'page' || size < known || answer.itemCount < known) continue;
    context.exercised();
    if (answer.link !== undefined) throw needlessLink(answer, `all ${known} records`);
  }
  let judged = true;
  for (const request of lastPages)
    judged = (await expectNoLinkOnLastPage(context, snapshot, main, request)) && judged;
  if (judged) return;
  const brokenParameters = await findBrokenParameters(context, snapshot);
  if (brokenParameters !== null) context.limitedBy(brokenParameters);
}
