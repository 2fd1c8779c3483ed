import type { Exchange } from '../../core/exchange.ts';
import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import type { NoEnvelope, NoPage, Page } from '../../provider/page.ts';
import { Snapshot, Snapshots } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { isLinked } from '../given-place.ts';
import { orNull } from '../outcomes.ts';
import { countProvenRecords, mainTraversal } from './list-facts.ts';
import { requestedCount } from './requested-page.ts';

/** The largest page size of every second draw: most pages that clients request are small. */
const MAX_SMALL_SIZE = 20;
/** Pages of its traversal of a list that is that of the run. */
const MAX_PAGES = 4;
/** Calls of the first page until it is given. */
const FIRST_ATTEMPTS = 3;
/** Records of the longest other list that is traversed. */
const MAX_OTHER_RECORDS = 5000;

/** Pages that another client obtains. */
export interface SecondClientPages {
  readonly pages: readonly Page[];
  /** The snapshot that shows their list: that of the run if the second client sees the same records, otherwise one of its own. */
  readonly snapshot: Snapshot;
  /** The answer to each attempt, if it gives records of the run's list, but not as a page. */
  readonly noEnvelope?: NoEnvelope;
  /** Snapshots that only this client obtains; null if it is given no page. */
  readonly snapshots: Snapshots | null;
  /** Answers without a page to calls of a client that was given the first page, be it at a later attempt. */
  readonly withoutPage: readonly NoPage[];
  /** Requests one of them again; null if the answer is no page. */
  readonly ask: (target: string) => Promise<Page | null>;
}

/**
 * Some pages that the second client obtains, requested once: a provider may treat clients differently. None
 * in `smoke`, without a second client, if it sees the records of the run with another count, or if its list is empty or
 * too long to be traversed.
 */
export async function secondClientPages(context: CheckContext): Promise<SecondClientPages> {
  const second = await allSecondClientPages(context);
  if (second.snapshot !== context.snapshot) return second;
  const records = await orNull(countProvenRecords(context.snapshot));
  // Another count means changed data; a count that is missing or no number is a breach in any list.
  const counts = second.pages.map(requestedCount);
  const isSameList = counts.every((count) => typeof count !== 'number' || count === records);
  return isSameList ? second : { ...NO_PAGES, snapshot: context.snapshot };
}

/** Like {@link secondClientPages}, also if the pages have another count than the list of the run. */
export async function allSecondClientPages(context: CheckContext): Promise<SecondClientPages> {
  const given = await context.list.memo.once(requestPages, context);
  return { ...given, snapshot: given.snapshot ?? context.snapshot };
}

/**
 * Whether the list of the second client ends where its count says: `short` if it ends before, `long` if records
 * follow, null if it is not known. Two requests, once in a run.
 */
export function endForSecondClient(context: CheckContext): ReturnType<typeof findEnd> {
  return context.list.memo.once(findEnd, context);
}

async function findEnd(
  context: CheckContext,
): Promise<{ readonly kind: 'short' | 'long'; readonly page: Page } | null> {
  const { pages, ask } = await allSecondClientPages(context);
  const counts = new Set(pages.map(requestedCount).filter((count) => typeof count === 'number'));
  const [count] = counts;
  if (count === undefined || count < 0 || counts.size > 1) return null;
  for (const kind of count === 0 ? (['long'] as const) : (['short', 'long'] as const)) {
    const skip: number = kind === 'short' ? count - 1 : count;
    const target: string = `${context.list.path}?$count=true&$pagesize=1&$skip=${skip}`;
    const page: Page | null = await orNull(ask(target));
    if (page?.count !== count || page.itemCount > 0 !== (kind === 'long')) continue;
    return { kind, page };
  }
  return null;
}

/**
 * The first page of a list that only the second client has, if it has a count and no link, and records follow, and the
 * next record; null otherwise.
 *
 * @param isAgain whether to request it again
 */
export async function unlinkedPageOfSecondClient(
  context: CheckContext,
  isAgain: boolean,
): Promise<{ readonly first: Page; readonly next: Page } | null> {
  const { pages, snapshot, ask } = await secondClientPages(context);
  const [shown] = pages;
  if (snapshot === context.snapshot || shown === undefined) return null;
  const first = isAgain ? await ask(shown.target) : shown;
  if (first === null || isLinked(first) || typeof first.count !== 'number') return null;
  if (first.count <= first.itemCount) return null;
  const next = await ask(snapshot.targetOf({ count: true, pageSize: 1, skip: first.itemCount }));
  const isOther = next?.identities.some((identity) => !first.identities.includes(identity)) === true;
  return next !== null && isOther && next.count === first.count ? { first, next } : null;
}

/** The first few pages that links lead to without `$pagesize`. */
export function traversalOfSecondClient(snapshot: Snapshot): Promise<Traversal> {
  return snapshot.traversal(null, { maxPages: MAX_PAGES });
}

/**
 * Pages that were requested once. The snapshot is null if those of the run show their list: each attempt then compares them
 * with its own, since an earlier one may lack answers.
 */
type SharedPages = Omit<SecondClientPages, 'snapshot'> & { readonly snapshot: Snapshot | null };

const NO_PAGES: SharedPages = {
  pages: [],
  withoutPage: [],
  snapshots: null,
  snapshot: null,
  ask: async () => null,
};

async function requestPages(context: CheckContext): Promise<SharedPages> {
  const { list, tokens, target, options, snapshot } = context;
  if (target.otherCredentials === null || options.suite === 'smoke') return NO_PAGES;
  const records = await orNull(countProvenRecords(snapshot));
  const answer = records === null ? null : await orNull(tokens.secondClientAnswer());
  const token = answer?.token ?? null;
  if (records === null || token === null) return NO_PAGES;
  // Separate history: this list may be another one than that of the first client.
  const apart = list.forToken(token);
  const snapshots = new Snapshots((number) => new Snapshot(apart, number));
  const { refused, first, last, exchange } = await attemptFirstPage(snapshots);
  if (first === null) {
    const lastAnswer = refused.at(-1);
    const isFound =
      lastAnswer?.kind === 'no-envelope' && exchange !== null && list.records.findIn(exchange) !== null;
    return isFound ? { ...NO_PAGES, noEnvelope: lastAnswer } : NO_PAGES;
  }
  const { reached } = await mainTraversal(snapshot);
  const isSameList = reached.countMissing(first.identities) === 0;
  const pages = [first];
  const withoutPage: NoPage[] = [...refused];
  const ask = async (path: string): Promise<Page | null> => {
    const answer = await apart.authorized(path);
    return answer.kind === 'page' ? answer : null;
  };
  const length = isSameList ? records : lengthOf(first);
  if (length === null) return NO_PAGES;
  for (const further of furtherTargets(context, length)) {
    const answer = await orNull(apart.authorized(further));
    if (answer?.kind === 'page') pages.push(answer);
    else if (answer !== null && apart.history.isWithin(further)) withoutPage.push(answer);
  }
  const given = { pages, withoutPage, snapshots, snapshot: isSameList ? null : last, ask };
  // Nothing shows how long a list without a count is.
  if (!isSameList && typeof first.count !== 'number') return given;
  const traversal = await orNull(isSameList ? traversalOfSecondClient(last) : mainTraversal(last));
  pages.push(...(traversal?.steps ?? []).slice(1).map(({ page }) => page));
  if (traversal?.end.kind === 'broken') withoutPage.push(traversal.end.answer);
  return given;
}

interface FirstPageAttempts {
  /** The answers before it. */
  readonly refused: readonly NoPage[];
  /** Null if no attempt gave a page, or an attempt had no answer. */
  readonly first: Page | null;
  readonly last: Snapshot;
  readonly exchange: Exchange | null;
}

/** Requests the first page until it is given. A client without the right to list is refused each time. */
async function attemptFirstPage(snapshots: Snapshots): Promise<FirstPageAttempts> {
  const refused: NoPage[] = [];
  for (let number = 0; ; number++) {
    const last = snapshots.at(number);
    const exchange = await orNull(last.exchange(last.targetOf({ count: true })));
    const answer = exchange === null ? null : await last.first({ count: true });
    if (answer?.kind === 'page') return { refused, first: answer, last, exchange };
    if (answer !== null) refused.push(answer);
    if (answer === null || refused.length === FIRST_ATTEMPTS) return { refused, first: null, last, exchange };
  }
}

/** The records that an answer shows, if they are few enough to be traversed; null without any. */
function lengthOf({ count, itemCount }: Page): number | null {
  const length = typeof count === 'number' ? Math.max(count, itemCount) : itemCount;
  return length >= 1 && length <= MAX_OTHER_RECORDS ? length : null;
}

/** A page behind the first one, one without count and one of an oversize; in `certify` also others. */
function furtherTargets({ list, options, random }: CheckContext, records: number): readonly string[] {
  const size = (what: string): number => {
    const most = random(`second client largest ${what}`) % 2 === 0 ? MAX_SMALL_SIZE : MAX_PAGE_SIZE;
    return 1 + (random(`second client ${what}`) % Math.min(most, records));
  };
  const within = size('within');
  const pages = Math.ceil(records / within);
  const skip = pages > 1 ? within * (1 + (random('second client place') % (pages - 1))) : 0;
  const at = (query: string): string => `${list.path}?${query}`;
  return [
    at(`$count=true&$pagesize=${within}&$skip=${skip}`),
    at(`$pagesize=${size('uncounted')}`),
    at('$count=true&$pagesize=1000'),
    ...(options.suite === 'certify' ? [list.path, at(`$count=true&$pagesize=${size('first')}`)] : []),
  ];
}
