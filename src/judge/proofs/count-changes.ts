import { Blocked, changing, intermittent } from '../../core/undecided.ts';
import type { Page } from '../../provider/page.ts';
import { Snapshot } from '../../provider/snapshot.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { freshTargets } from '../probes/drawn-query.ts';
import { countProvenRecords, mainTraversal, pagesOfRun } from '../probes/list-facts.ts';
import { requestedCount } from '../probes/requested-page.ts';
import { type Violation, violationOn } from '../violation.ts';
import { isFresh, withFurther } from './data-at-rest.ts';
import { findFlickeringCount } from './flickering-count.ts';

/** Requests that must show a wrong end again, and the milliseconds before each. */
export const END_REPETITIONS = 2;
export const END_PAUSE_MS = 1000;
/** Pages that are requested twice to compare count with that of the repetition. */
const REPEATED_TARGETS = 8;
/**
 * Calls before each of them, so that first answers and repetitions do not come from different servers that answer in
 * turn.
 */
const CALLS_BETWEEN: readonly number[] = [0, 1, 0, 2, 1, 0, 2, 1];

/**
 * Expects that count depends neither on the token nor on the number of requests, nor on chance, if it changed in this run on any
 * page. Throws Violation.
 */
export async function expectNoVaryingCount(context: CheckContext): Promise<void> {
  const { counts } = context.list.pages;
  if (counts === null || counts.before === null) return;
  const found =
    (await findCountOfToken(context)) ??
    (counts.hasReturned
      ? ((await findFlickeringCount(context)) ?? (await findCountOfRepetition(context)))
      : null);
  if (found !== null) throw found;
}

/**
 * The order in which two tokens are used, and the milliseconds before each use. Neither data that changes nor a server that
 * answers every n-th call follows this order.
 */
const TOKEN_TURNS: readonly (0 | 1)[] = [0, 1, 1, 0, 1, 0, 0, 1];
const TOKEN_TURN_MS = 300;

/**
 * Requests one page in turns with two tokens of this run that were given different counts, to see whether each is given its
 * count again. Null if not.
 */
async function findCountOfToken(context: CheckContext): Promise<Violation | null> {
  const { list, snapshot, tokens } = context;
  const counts = new Map<string, Set<Page['count']>>();
  for (const page of pagesOfRun(snapshot)) {
    const token = list.history.tokenOf.get(page.exchange);
    const isUsable = token !== undefined && !tokens.history.wasRefused(token);
    if (!isUsable || typeof requestedCount(page) !== 'number') continue;
    counts.set(token, (counts.get(token) ?? new Set()).add(page.count));
  }
  const constant = [...counts].flatMap(([token, given]) =>
    given.size === 1 ? [[token, ...given] as const] : [],
  );
  const [one] = constant;
  const other = constant.find(([, count]) => count !== one?.[1]);
  if (one === undefined || other === undefined) return null;
  const target = snapshot.targetOf({ count: true, pageSize: 1 });
  const pages: Page[] = [];
  for (const turn of TOKEN_TURNS) {
    await waitFor(TOKEN_TURN_MS, context);
    const [token, count] = turn === 0 ? one : other;
    const page = list.readAndNote(await list.call({ target, authorization: `Bearer ${token}` }), {
      isJudged: true,
    });
    if (page.kind !== 'page' || page.count !== count) return null;
    pages.push(page);
  }
  const [first, second] = pages;
  if (first === undefined || second === undefined) return null;
  // A cache may keep a page for each token.
  for (const [page, token] of [
    [first, one[0]],
    [second, other[0]],
  ] as const) {
    const fresh = await list.call({ target: withFurther(page), authorization: `Bearer ${token}` });
    const now = list.readAndNote(fresh, { isJudged: true });
    if (now.kind === 'page' && now.count !== page.count) return null;
  }
  return violationOn(second, {
    message:
      `count is ${first.count} in the answer to ${target} with one token and ${second.count} with another one of the same ` +
      `client, each in ${pages.length / 2} of ${pages.length} calls in mixed order; while the data is at rest, count is the ` +
      'same for every call',
    expected: first.count ?? null,
    actual: second.count ?? null,
    further: [first],
    sequence: TOKEN_TURNS.map((turn, index) => ({ exchange: pages[index]?.exchange ?? 0, token: turn + 1 })),
  });
}

/**
 * Requests new pages, each twice, to see whether all first answers have one count, and all repetitions other ones.
 * Changing data would have to change in step with the requests. Null if this does not show.
 */
async function findCountOfRepetition(context: CheckContext): Promise<Violation | null> {
  const { list, snapshot } = context;
  const targets = await freshTargets(context, { isDeep: false, most: REPEATED_TARGETS });
  const pairs: (readonly [first: Page, second: Page])[] = [];
  for (const [index, target] of targets.entries()) {
    for (let call = 0; call < (CALLS_BETWEEN[index] ?? 0); call++)
      await list.authorized(snapshot.targetOf({ count: true, pageSize: 1 }));
    const [first, second] = [await list.authorized(target), await list.authorized(target)];
    if (first.kind !== 'page' || second.kind !== 'page') return null;
    pairs.push([first, second]);
    const isSame = ({ count }: Page, other: Page | undefined): boolean => count === other?.count;
    const [begin] = pairs;
    if (!isSame(first, begin?.[0]) || isSame(first, second)) return null;
  }
  const [begin] = pairs;
  if (begin === undefined || pairs.length < REPEATED_TARGETS) return null;
  const [first, second] = begin;
  return violationOn(second, {
    message:
      `count is ${first.count} in the answer to ${first.target} and ${second.count} when the request is ` +
      `repeated; it is ${first.count} for ${pairs.length} pages in a row and differs for each repetition, ` +
      'so no record was added or removed; while the data is at rest, count is the same in every answer',
    expected: first.count ?? null,
    actual: second.count ?? null,
    further: [first],
    sequence: [first, second].map(({ exchange }) => ({ exchange, token: 1 })),
  });
}

/** Milliseconds before each repetition of a page that contradicts its count; no multiples of one period. */
const LASTING_PAUSES_MS = [700, 1300];

/** Whether a page of one record from that offset on holds none although its count says so, or one that count denies. */
function contradictsItself({ itemCount, count }: Page, skip: number): boolean {
  return typeof count === 'number' && (itemCount === 0 ? count > skip : count <= skip);
}

/**
 * Expects that the list changed if count changed during the run: the last count names the last record, and no record
 * follows it. An answer that contradicts its own count proves that only count changed. Throws Violation; Blocked if
 * count was already wrong in the main traversal or $skip is read wrongly; Undecided if no traversal shows the length of
 * the list, or if a single answer had the first count.
 */
export async function expectChangeOfRecords(context: CheckContext): Promise<void> {
  const { counts } = context.list.pages;
  if (counts === null || counts.last === counts.first || counts.last < 1) return;
  const { first, last, ofFirst } = counts;
  const { steps } = await mainTraversal(context.snapshot);
  const wasCorrect = steps[0]?.page.count === (await countProvenRecords(context.snapshot));
  await context.confirm({ atRest: false }, async ({ snapshot }) => {
    for (const skip of [last - 1, last]) {
      const page = await snapshot.first({ count: true, pageSize: 1, skip: skip || undefined });
      if (page.kind !== 'page' || typeof page.count !== 'number') continue;
      if (!contradictsItself(page, skip)) continue;
      const sentence = `GET ${page.target} gives ${page.itemCount === 0 ? 'no record' : `${page.itemCount} record`}`;
      // The first snapshot may be older than the change.
      const records = await countProvenRecords(new Snapshot(context.list));
      const isUnchanged = records === page.count || records === first;
      // Count may lag behind records that are added.
      if (records === null || (wasCorrect && !isUnchanged))
        throw changing(`count is ${page.count}, but ${sentence}`);
      if (records === page.count)
        throw new Blocked(
          'traversal/by-parameters',
          `${sentence}, and the traversal reaches as many records as count says, ${records}`,
        );
      if (!wasCorrect) throw new Blocked('count/equals-records', `count is ${page.count}, but ${sentence}`);
      for (const pauseMs of LASTING_PAUSES_MS) {
        await waitFor(pauseMs, context);
        const again = await context.list.authorized(page.target);
        if (again.kind !== 'page' || !contradictsItself(again, skip))
          throw changing(`count was ${page.count}, but ${sentence}`);
      }
      if (!(await isFresh(context.list, [page]))) throw changing(`count was ${page.count}, but ${sentence}`);
      throw violationOn(page, {
        key: 'changed count',
        message:
          `count was ${first} in the first answers of the run and is ${page.count} now, but ${sentence}: ` +
          'count changed, and the list did not; while the data is at rest, count is the same in every answer',
        expected: first,
        actual: page.count,
      });
    }
  });
  // The list may have changed right after it, or the count was wrong.
  if (ofFirst === 1)
    throw intermittent(`count was ${first} in the first answer of the run only, and ${last} later`);
}
