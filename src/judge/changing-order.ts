import type { IdentitySet } from '../provider/identity-set.ts';
import { othersIn, type Page } from '../provider/page.ts';
import type { CheckContext } from './context.ts';
import { countProvenRecords } from './list-position.ts';
import { mainTraversal } from './list-traversals.ts';
import { Violation } from './violation.ts';

/** Requests that are repeated, those of the largest pages. */
const MAX_REQUESTS = 3;
/** Repetitions of each. */
const REPEATS = 8;
/** Changes among them that prove an order which is not stable. */
const LEAST_CHANGES = 3;
/** Records that a change replaces at least: fewer may have been moved by a change of the data. */
const LEAST_REPLACED = 4;

/**
 * Expects that requests of the run which were repeated gave the same records each time, unless the data changed. Repeats those
 * that did not: several other records every other time, all of them known from the main traversal, with the same count, show that
 * the order is not stable, so that traversals give some records twice and leave out others. Throws Violation.
 */
export async function expectStableOrder(context: CheckContext): Promise<void> {
  const { list, snapshot } = context;
  if (list.records.reordered.length === 0 || (await countProvenRecords(snapshot)) === null) return;
  const { reached } = await mainTraversal(snapshot);
  const pairs = list.records.reordered.toSorted(([one], [other]) => other.itemCount - one.itemCount);
  for (const pair of pairs.slice(0, MAX_REQUESTS)) await expectSameRecords(context, pair, reached);
}

/** @param known the records of the list */
async function expectSameRecords(
  { list }: CheckContext,
  pair: readonly [before: Page, after: Page],
  known: IdentitySet,
): Promise<void> {
  const [first] = pair;
  const isComparable = ({ count, itemCount, identities }: Page): boolean =>
    count === known.size && itemCount === first.itemCount && known.lacking(identities) === 0;
  if (!pair.every(isComparable)) return;
  const least = Math.max(LEAST_REPLACED, first.itemCount / 50);
  const pages: Page[] = [];
  let changes = 0;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const page = await list.authorized(first.target, { opensConnection: repeat % 2 === 1 });
    if (page.kind !== 'page' || !isComparable(page)) return;
    const before = pages.at(-1);
    const replaced = before === undefined ? 0 : othersIn(page, before);
    // Another page of the list, as of a link that works once: its order may be stable.
    if (replaced === page.itemCount) return;
    if (replaced >= least) changes++;
    pages.push(page);
  }
  if (changes < LEAST_CHANGES) return;
  throw new Violation({
    key: first.target,
    message: `GET ${first.target}, repeated ${REPEATS} times, gives other records ${changes} times, with count ${known.size} and without a new record; pages of such an order give some records twice and leave out others`,
    expected: 'the same records each time',
    actual: `other records ${changes} of ${REPEATS - 1} times`,
    counterexample: { request: first.target },
    exchanges: [...new Set([...pair, ...pages.slice(0, 2)].map(({ exchange }) => exchange))],
  });
}
