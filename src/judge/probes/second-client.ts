import type { Exchange } from '../../core/exchange.ts';
import type { ListClient } from '../../provider/list-client.ts';
import type { ListAnswer, NoEnvelope, Page } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { countProvenRecords } from '../list-facts.ts';
import { orNull } from '../optional-answer.ts';
import { mainTraversal } from './list-traversals.ts';

/** Largest page size that is drawn: most pages that clients request are small. */
const MAX_DRAWN_SIZE = 20;

/** Pages of the same list for another client. */
export interface SecondClientPages {
  readonly pages: readonly Page[];
  /** The answer to its call, if it gives records of the list, but not as a page. */
  readonly noEnvelope?: NoEnvelope;
  /** Requests one of them again; null if the answer is no page. */
  readonly ask: (target: string) => Promise<Page | null>;
}

/**
 * Some pages that the second provider's client obtains, requested once: a provider may treat clients differently. None
 * in `smoke`, without a second client, or if its list is not the one of the run: then nothing is known about it.
 */
export async function secondClientPages(context: CheckContext): Promise<SecondClientPages> {
  const second = await allSecondClientPages(context);
  const records = await orNull(countProvenRecords(context.snapshot));
  // Another count means another list, or changed data; a count that is missing or no number is a breach in any list.
  const isSameList = second.pages.every(({ count }) => typeof count !== 'number' || count === records);
  return isSameList ? second : NONE;
}

/** The same, also if they have another count than the list of the run. */
export function allSecondClientPages(context: CheckContext): Promise<SecondClientPages> {
  return context.list.memo.once(requestPages, context);
}

/**
 * Whether the list of the second provider's client ends where its count says: `short` if it ends before, `long` if records
 * follow, null if it is not known. Two requests, once in a run.
 */
export function endForSecondClient(context: CheckContext): Promise<SecondClientEnd | null> {
  return context.list.memo.once(findEnd, context);
}

/** Where the list of the second provider's client does not end as its count says. */
export interface SecondClientEnd {
  readonly kind: 'short' | 'long';
  readonly page: Page;
}

async function findEnd(context: CheckContext): Promise<SecondClientEnd | null> {
  const { pages, ask } = await allSecondClientPages(context);
  const counts = new Set(pages.flatMap(({ count }) => (typeof count === 'number' ? [count] : [])));
  const [count] = counts;
  if (count === undefined || count < 1 || counts.size > 1) return null;
  for (const kind of ['short', 'long'] as const) {
    const skip: number = kind === 'short' ? count - 1 : count;
    const target: string = `${context.list.path}?$count=true&$pagesize=1&$skip=${skip}`;
    const page: Page | null = await orNull(ask(target));
    if (page?.count !== count || page.itemCount > 0 !== (kind === 'long')) continue;
    return { kind, page };
  }
  return null;
}

const NONE: SecondClientPages = { pages: [], ask: async () => null };

async function requestPages(context: CheckContext): Promise<SecondClientPages> {
  const { list, tokens, target, options, snapshot } = context;
  if (target.otherCredentials === null || options.suite === 'smoke') return NONE;
  const records = await orNull(countProvenRecords(snapshot));
  const other = records === null ? null : await orNull(tokens.otherClientAnswer());
  const token = other?.token ?? null;
  if (records === null || token === null) return NONE;
  // Its list is kept apart from the knowledge about the list of the run's own client.
  const apart = list.withoutHistory();
  const ask = async (path: string): Promise<Page | null> => {
    const { answer } = await request(apart, token, path);
    return answer.kind === 'page' ? answer : null;
  };
  const counted = `${list.path}?$count=true`;
  const first = await orNull(ask(counted));
  if (first === null) {
    const again = await orNull(request(apart, token, counted));
    const isFound = again?.answer.kind === 'no-envelope' && list.records.findIn(again.exchange) !== null;
    return isFound ? { ...NONE, noEnvelope: again.answer } : NONE;
  }
  const { reached } = await mainTraversal(snapshot);
  if (reached.countMissing(first.identities) > 0) return NONE;
  const pages = [first];
  for (const further of furtherTargets(context, snapshot, first, records)) {
    const page = await orNull(ask(further));
    if (page !== null) pages.push(page);
  }
  return { pages, ask };
}

async function request(
  list: ListClient,
  token: string,
  target: string,
): Promise<{ readonly answer: ListAnswer; readonly exchange: Exchange }> {
  const exchange = await list.call({ target, authorization: `Bearer ${token}` });
  return { answer: list.read(exchange, true), exchange };
}

/** A page from within the list, one without count and one of an oversize; in `certify` also others. */
function furtherTargets(
  { list, options, random }: CheckContext,
  snapshot: Snapshot,
  first: Page,
  records: number,
): readonly string[] {
  const size = (what: string): number =>
    1 + (random(`second client ${what}`) % Math.min(MAX_DRAWN_SIZE, records));
  const within = size('within');
  const skip = within * (random('second client place') % Math.ceil(records / within));
  const link = snapshot.linkOf(first);
  const at = (query: string): string => `${list.path}?${query}`;
  return [
    at(`$count=true&$pagesize=${within}&$skip=${skip}`),
    at(`$pagesize=${size('uncounted')}`),
    at('$count=true&$pagesize=1000'),
    ...(options.suite === 'certify'
      ? [list.path, at(`$count=true&$pagesize=${size('first')}`), ...(link === null ? [] : [link.target])]
      : []),
  ];
}
