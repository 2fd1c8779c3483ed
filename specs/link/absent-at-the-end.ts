import { recordCount } from '../../src/core/number-format.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { awaitAll } from '../../src/judge/outcomes.ts';
import { firstPages, type SizeCase } from '../../src/judge/probes/first-pages.ts';
import { recordsAfter } from '../../src/judge/probes/list-facts.ts';
import { intactTraversals, wholeTraversals } from '../../src/judge/probes/list-traversals.ts';
import { lastPageRequests } from '../../src/judge/probes/page-targets.ts';
import { findBrokenParameters } from '../../src/judge/probes/pages-by-parameters.ts';
import {
  causeOfIncompleteness,
  causeOfMissingIdentifier,
  firstObstacle,
  requestFollowingPage,
} from '../../src/judge/probes/traversal-completeness.ts';
import { askAgain } from '../../src/judge/proofs/data-at-rest.ts';
import { pageRule } from '../../src/judge/rules/rule.ts';
import {
  findFirstFault,
  lastStepWithNewRecords,
  printLink,
  reachSameRecords,
  recordsAt,
  type TraversalFault,
  traversalName,
} from '../../src/judge/traversals.ts';
import { type Violation, violationOn } from '../../src/judge/violation.ts';
import { othersIn, type Page, sameAnswer } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';
import type { Traversal } from '../../src/provider/traversal.ts';

export const linkAbsentAtTheEnd = requirement({
  id: 'link/absent-at-the-end',
  clause: ['2.3', '4.3.2'],
  rule: 'The page with the last record gives no nextPageLink, also if n divides N, equals N or is greater than N.',
  tested: `Traverses the list with page sizes that divide N, that equal N (if N is at most 500) and that do neither, and
    requests more records than a short list has. Except in smoke, requests the last record alone, and the last page
    of the first traversal twice.`,
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
      const { page, isCounted } = requested;
      const after = isCounted === true ? recordsAfter(requested, list) : null;
      if (after === null || after > 0 || page.count !== list.records) return null;
      return page.link === undefined
        ? 'kept'
        : needlessLink(
            page,
            list.records === 0 ? 'no record of an empty list' : `the last of ${recordCount(list.records)}`,
          );
    },
    test: async (context) => {
      await context.confirm({ atRest: true }, expectNoLinkAtAnyEnd);
    },
  }),
});

/** Follows the traversals to their ends and requests last pages by their offset. */
async function expectNoLinkAtAnyEnd(context: CheckContext): Promise<void> {
  const { snapshot } = context;
  const whole = await wholeTraversals(context);
  const traversals = await intactTraversals(snapshot, whole);
  const main = traversals[0];
  if (main === undefined) throw new Error('there is always a main traversal');
  if (!main.isIdentified) throw causeOfMissingIdentifier(snapshot, main);
  let fault: TraversalFault | null = null;
  for (const traversal of traversals) fault ??= await expectNoLinkAtEnd(context, traversal, traversals);
  // The link of a last page may be what breaks a traversal.
  for (const traversal of whole)
    if (findFirstFault(traversal)?.requirement === 'link/absent-at-the-end')
      await expectNoLinkAtEnd(context, traversal, traversals);
  if (fault !== null) throw fault;
  await expectSameEnd(snapshot, main, traversals);
  await expectNoLinkWithAllRecords(context, main);
  await expectNoLinkWhenRepeated(context, main);
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
async function expectNoLinkWithAllRecords(context: CheckContext, main: Traversal): Promise<void> {
  const { snapshot } = context;
  const known = main.reached.size;
  const lastPages = context.options.suite === 'smoke' ? [] : lastPageRequests(known);
  // Requested in parallel with the first pages, except when a breach is confirmed.
  const early =
    snapshot === context.sharedSnapshot ? lastPages.map((request) => snapshot.first(request)) : [];
  const [pages] = await awaitAll([firstPages(context), Promise.allSettled(early)]);
  for (const { first, answer, size } of pages) {
    if (first.count !== true || answer.kind !== 'page' || size < known || answer.itemCount < known) continue;
    context.exercised();
    if (answer.link !== undefined) throw needlessLink(answer, `all ${known} records`);
  }
  let judged = true;
  for (const request of lastPages) judged = (await expectNoLinkOnLastPage(context, main, request)) && judged;
  if (judged) return;
  context.limitedBy(await findBrokenParameters(context));
}

/**
 * Judges the end of a traversal: the page with the last record gives no link. It is the last page if count
 * proves it, or if all traversals reach the same records and the link leads to an empty page.
 */
async function expectNoLinkAtEnd(
  context: CheckContext,
  traversal: Traversal,
  traversals: readonly Traversal[],
): Promise<TraversalFault | null> {
  const last = lastStepWithNewRecords(traversal);
  if (last === null) return null;
  const { page } = last;
  const fault = findFirstFault(traversal);
  // On the last page any link is wrong, not only its query.
  const earlier =
    fault !== null &&
    (fault.step.number < last.number || (fault.step === last && fault.requirement.startsWith('page-size/')));
  if (earlier) return fault;
  if (page.link === undefined) {
    if (traversal.end.kind === 'end') context.exercised();
    return null;
  }
  const next = traversal.steps[last.number]?.page;
  const counted = page.count === last.recordsSoFar && traversal.reached.size === last.recordsSoFar;
  // If traversals reach different records, a count that equals the records of one of them proves nothing.
  if (!traversals.every((other) => reachSameRecords(traversal, other))) return null;
  const agreed = next?.itemCount === 0 && traversal.reached.size === last.recordsSoFar;
  if (!counted && !agreed) return null;
  // A count that is too low must not make a page the last one.
  const beyond = await requestFollowingPage(context.snapshot, last);
  if (beyond.kind === 'page' && traversal.reached.countMissing(beyond.identities) > 0) return null;
  context.exercised();
  throw needlessLink(
    page,
    `the last of ${recordCount(last.recordsSoFar)} in ${traversalName(traversal)}`,
    next,
  );
}

/** Judges a full last page that is requested by its parameters (4.3.3). False if it could not be judged. */
async function expectNoLinkOnLastPage(
  context: CheckContext,
  main: Traversal,
  jump: SizeCase,
): Promise<boolean> {
  const { pageSize: size } = jump;
  const total = main.reached.size;
  const answer = await context.snapshot.first(jump);
  if (answer.kind !== 'page' || answer.itemCount !== size) return false;
  // The same count on the last page of the traversal does not mean that the data changed.
  if (
    typeof answer.count === 'number' &&
    answer.count !== total &&
    answer.count !== main.steps.at(-1)?.page.count
  )
    return false;
  // Only if it is the last page of the traversal; traversal/by-parameters judges whether it is.
  if (othersIn(answer, { identities: recordsAt(main, total - size, size) }) > 0) return false;
  context.exercised();
  const records =
    size === 1
      ? `the last of ${total} records`
      : `the last ${size} of ${total} records (${size} divides ${total})`;
  if (answer.link !== undefined) throw needlessLink(answer, records);
  return true;
}

/** Requests the last page of a traversal a second time, which caches and counters may answer in another way; not in smoke. */
async function expectNoLinkWhenRepeated(
  { options, snapshot }: CheckContext,
  traversal: Traversal,
): Promise<void> {
  const last = traversal.steps.at(-1)?.page;
  if (last === undefined || options.suite === 'smoke') return;
  const again = await askAgain(snapshot, last);
  if (again.kind === 'page' && sameAnswer(again, last) && again.link !== undefined)
    throw needlessLink(again, `the last of ${traversal.reached.size} records when it is requested again`);
}

/**
 * The breach of a page with the last record and a link.
 *
 * @param records what the page holds, as part of a sentence
 * @param next the page to which the link leads, if it was followed
 */
function needlessLink(page: Page, records: string, next?: Page): Violation {
  const where = next?.itemCount === 0 ? 'an empty page' : 'records of earlier pages';
  const led = next === undefined ? '' : `, which leads to ${where}`;
  return violationOn(page, {
    message:
      `GET ${page.target} holds ${records} and gives a nextPageLink ` +
      `(${printLink(page.link ?? null)})${led}; the page with the last record gives none`,
    expected: 'no nextPageLink',
    actual: page.link ?? null,
    further: [next],
  });
}
