import { recordCount } from '../../src/core/number-format.ts';
import { Blocked, changing } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { type CheckContext, waitFor } from '../../src/judge/context.ts';
import { errorOf } from '../../src/judge/outcomes.ts';
import { mainTraversal, pagesOfRun } from '../../src/judge/probes/list-facts.ts';
import { intactTraversals, wholeTraversals } from '../../src/judge/probes/list-traversals.ts';
import {
  countFault,
  exceedsNumbers,
  printCount,
  reportedCount,
} from '../../src/judge/probes/requested-page.ts';
import { firstObstacle } from '../../src/judge/probes/traversal-completeness.ts';
import { isFresh, withFurther } from '../../src/judge/proofs/data-at-rest.ts';
import { recordsUpTo } from '../../src/judge/proofs/flickering-count.ts';
import { expectCountOfSecondClient } from '../../src/judge/proofs/second-client-breaches.ts';
import { ruleTest } from '../../src/judge/rules/rule.ts';
import { reachSameRecords, traversalName } from '../../src/judge/traversals.ts';
import { Violation, violationOn } from '../../src/judge/violation.ts';
import { sameIdentities } from '../../src/provider/identity.ts';
import { countText, type Page } from '../../src/provider/page.ts';
import type { Traversal } from '../../src/provider/traversal.ts';

const judgeTraversals = ruleTest<Traversal>({
  atRest: true,
  oracle: (traversal) => {
    const reached = traversal.reached.size;
    const wrong = wrongCount(traversal);
    if (wrong === null) return 'kept';
    if (wrong instanceof Blocked) return wrong;
    return violationOn(wrong, {
      key: `${traversal.pageSize} ${countText(wrong)} ${reached}`,
      message:
        `count is ${printCount(wrong)}, and ${traversalName(traversal)} reaches ${reached} records; ` +
        'while the data is at rest they are equal',
      expected: exceedsNumbers(wrong) ? String(reached) : reached,
      actual: reportedCount(wrong),
      counterexample: { pageSize: traversal.pageSize },
      further: [traversal.steps.at(-1)],
    });
  },
  probes: agreeingTraversals,
  // Changed data may explain another count. It does not explain for long a count below the records up to the end of the
  // page.
  otherProof: contradictedCount,
  obstacle: async (context) => firstObstacle(context.snapshot, await wholeTraversals(context)),
});

export const countEqualsRecords = requirement({
  id: 'count/equals-records',
  clause: ['2.3', '4.3.2'],
  smoke: true,
  rule: 'While the data is at rest, count is the number of distinct records that a traversal of the list reaches.',
  tested: `Traverses the list to its end, counts distinct identifiers and compares the number with count. Repeats both
    before it reports a difference, and requests count again two seconds later, in case it lags behind records that are
    added. For the second provider's client, requests the record at the end that count names, and the one after it (full: if
    one of its pages holds too few records, or gives another count of the same records).`,
  breach: 'count is 1,234 and the traversal reaches 1,233, or the reverse.',
  causes: `count is computed before filters by tenant, permission or deletion that the list applies, or after. It is the
    length of the page. It has a cap such as 10,000. It counts rows of a join instead of records.`,
  fix: 'Count with the same filter that reads the pages: same permissions, same deleted flag, no cap, distinct records.',
  judge: async (context) => {
    const error = await errorOf(() => judgeTraversals(context));
    if (error instanceof Violation) await expectNoLag(context, error);
    if (error !== null) throw error;
  },
  testLater: [expectCountOfSecondClient],
});

/**
 * The first page whose count is not the number of records reached; null if there is none; Blocked if another breach
 * explains the counts.
 */
function wrongCount(traversal: Traversal): Page | Blocked | null {
  const { steps, reached } = traversal;
  const isRight = (page: Page): boolean => countText(page) === String(reached.size);
  const counted = steps.map(({ page }) => page).filter((page) => countFault(page) === null);
  if (counted.length === 0)
    return new Blocked('count/present', `no page of ${traversalName(traversal)} gives a count`);
  const wrong = counted.find((page) => !isRight(page));
  if (wrong === undefined) return null;
  if (counted.some(isRight))
    return new Blocked('count/stable', `count differs between the pages of ${traversalName(traversal)}`);
  const given = steps.at(-1)?.recordsSoFar ?? 0;
  if (given > reached.size)
    return new Blocked(
      'traversal/no-duplicates',
      `${traversalName(traversal)} gives ${given} records, ${reached.size} of them distinct`,
    );
  return wrong;
}

/** Requests that must give a wrong count again, and the milliseconds before each. */
const REPETITIONS = 3;
const PAUSE_MS = 1000;

/**
 * Throws Undecided if that page gives another count meanwhile, also by a request that no cache knows: count may be computed at
 * intervals, and lag behind the records.
 */
async function expectNoLag(context: CheckContext, { message, breaches }: Violation): Promise<void> {
  const { list, snapshot } = context;
  const wrong = breaches[0]?.actual;
  if (await wasRightBefore(context, wrong)) throw changing(message);
  const pageSize = breaches[0]?.counterexample?.['pageSize'];
  const target = snapshot.targetOf({
    count: true,
    pageSize: typeof pageSize === 'number' ? pageSize : undefined,
  });
  for (let requests = 0; requests < REPETITIONS; requests++) {
    if (requests > 0) await waitFor(PAUSE_MS, context);
    const page = await list.authorized(target);
    if (page.kind !== 'page' || reportedCount(page) !== wrong) throw changing(message);
    if (requests + 1 === REPETITIONS && !(await isFresh(list, [page]))) throw changing(message);
  }
}

/** Whether a page of the run ended the list where that count says, and gives other records now: then the list has changed. */
async function wasRightBefore({ list, snapshot }: CheckContext, count: unknown): Promise<boolean> {
  const end = [...pagesOfRun(snapshot)].find((page) => page.count === count && recordsUpTo(page) === count);
  if (end === undefined) return false;
  const now = await list.authorized(withFurther(end));
  return now.kind === 'page' && !sameIdentities(now.identities, end.identities);
}

/**
 * The breach of a traversal whose pages all have one count, which is less than the records up to and including the last
 * one of them, also seconds later. Null if the list may have lost records since: then a page may give what was counted
 * no more; or if count only lags behind records that are added.
 */
async function contradictedCount(traversal: Traversal, context: CheckContext): Promise<Violation | null> {
  const { list } = context;
  const later = list.pages.counts?.last ?? 0;
  const { steps, reached } = traversal;
  const last = steps.at(-1);
  const count = last?.page.count;
  if (last === undefined || typeof count !== 'number' || steps.length < 2) return null;
  const isOne = steps.every(({ page }) => page.count === count);
  if (
    !isOne ||
    count >= last.recordsSoFar ||
    reached.size !== last.recordsSoFar ||
    later !== last.recordsSoFar
  )
    return null;
  for (let requests = 0; requests < REPETITIONS; requests++) {
    await waitFor(PAUSE_MS, context);
    const again = await list.authorized(last.page.target);
    const isSame = again.kind === 'page' && sameIdentities(again.identities, last.page.identities);
    if (!isSame || again.count !== count) return null;
  }
  // A cache may keep the page from a moment when count lagged behind.
  if (!(await isFresh(list, [last.page]))) return null;
  return violationOn(last.page, {
    message:
      `every page of ${traversalName(traversal)} says count ${count}, also the last one, ` +
      `with which ${recordCount(last.recordsSoFar)} are given, and which gave the same ${REPETITIONS} times more`,
    expected: last.recordsSoFar,
    actual: count,
    counterexample: { pageSize: traversal.pageSize },
  });
}

/** Traversals that show the whole list. Throws Undecided if there is none, or if they reach different records. */
async function* agreeingTraversals(context: CheckContext): AsyncGenerator<Traversal> {
  const { snapshot } = context;
  if (context.isSecondAttempt && snapshot.number > 0) {
    const main = await mainTraversal(snapshot);
    if ((await firstObstacle(snapshot, [main])) === null) yield main;
  }
  const whole = await wholeTraversals(context);
  const traversals = await intactTraversals(snapshot, whole);
  const obstacle = await firstObstacle(snapshot, whole);
  if (obstacle !== null && traversals.length === whole.length) throw obstacle;
  const [main] = traversals;
  if (main !== undefined && !traversals.every((traversal) => reachSameRecords(main, traversal)))
    throw new Blocked('traversal/same-records', 'page sizes reach different records');
  yield* traversals;
}
