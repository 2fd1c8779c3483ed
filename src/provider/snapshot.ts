import type { Exchange } from '../core/exchange.ts';
import { getOrMake } from '../core/maps.ts';
import { Memo } from '../core/memo.ts';
import { MAX_PAGE_SIZE } from '../core/page-size.ts';
import { parametersOf, type UsableLink, usableLink, wholeNumberIn } from './link.ts';
import type { ListClient } from './list-client.ts';
import { type ListAnswer, type Page, sameAnswer } from './page.ts';
import type { Connection } from './sender.ts';
import { type PageContext, type Traversal, traverse } from './traversal.ts';

/** Parameters of a first page, as the specification spells them. */
export interface FirstPage {
  /** $count; left out if undefined. */
  readonly count?: boolean | undefined;
  /** $pagesize, as written in the query; left out if undefined. */
  readonly pageSize?: number | string | undefined;
  /** $skip, as written in the query; left out if undefined. */
  readonly skip?: number | undefined;
}

type OnUse = (exchanges: readonly number[]) => void;

/**
 * The answers of a list, each requested once and kept, so that checks share evidence. To confirm a breach, the
 * judge takes a fresh snapshot.
 */
export class Snapshot {
  /** Values that are computed once for this snapshot. */
  readonly memo = new Memo();
  readonly client: ListClient;
  /** Which snapshot of the list it is, from 0. */
  readonly number: number;
  /** Receives the exchanges whose answers are used, each time; those of a traversal always as the same array. */
  readonly #onUse: OnUse;
  readonly #answers = new Map<string, Promise<ListAnswer>>();
  readonly #received = new Map<string, ListAnswer>();
  /** Answers that later ones replaced, by their request target. */
  readonly #replaced = new Map<string, ListAnswer[]>();
  readonly #traversals = new Map<string, Promise<Traversal>>();
  /** Exchanges of each traversal that is over. */
  readonly #exchangesOf = new Map<string, readonly number[]>();

  constructor(client: ListClient, number = 0, onUse: OnUse = () => undefined) {
    this.client = client;
    this.number = number;
    this.#onUse = onUse;
  }

  /** A copy with the answers so far, for a client that sends nothing: what is asked of the copy is not kept here. */
  offline(client: ListClient): Snapshot {
    const copy = new Snapshot(client, this.number);
    for (const [target, answer] of this.#received) {
      copy.#received.set(target, answer);
      copy.#answers.set(target, Promise.resolve(answer));
    }
    return copy;
  }

  targetOf(first: FirstPage): string {
    const parts: string[] = [];
    if (first.count !== undefined) parts.push(`$count=${first.count}`);
    if (first.pageSize !== undefined) parts.push(`$pagesize=${first.pageSize}`);
    if (first.skip !== undefined) parts.push(`$skip=${first.skip}`);
    return parts.length === 0 ? this.client.path : `${this.client.path}?${parts.join('&')}`;
  }

  /** Asks for a first page. Throws as ListClient.authorized does. */
  first(first: FirstPage): Promise<ListAnswer> {
    return this.at(this.targetOf(first));
  }

  /** Asks with a query of the caller's own spelling. Throws as ListClient.authorized does. */
  query(query: string): Promise<ListAnswer> {
    return this.at(`${this.client.path}?${query}`);
  }

  /**
   * The answer for a request target, asked once with the token; `context`, which says how, counts only if it is asked now.
   */
  at(target: string, context: PageContext = {}): Promise<ListAnswer> {
    const answer = getOrMake(this.#answers, target, () => this.#request(target, context));
    const received = this.#received.get(target);
    const use = ({ exchange }: ListAnswer): void => this.#onUse([exchange]);
    // Usually it was received before, and nothing has to wait.
    if (received !== undefined) use(received);
    else answer.then(use, () => undefined);
    return answer;
  }

  #request(target: string, context: PageContext): Promise<ListAnswer> {
    const answer = this.client.authorized(target, { ...context, connection: connectionFor(target) });
    answer.then(
      (received) => this.#received.set(target, received),
      () => undefined,
    );
    return answer;
  }

  /**
   * The exchange for a request target, with its body: always requested again, and then the answer of this snapshot.
   *
   * @param options.connection which connection it goes over; a new one may lead to another server
   * @param options.after number of the exchange that gave the link
   */
  async exchange(
    target: string,
    options: { readonly connection?: Connection; readonly after?: number | undefined } = {},
  ): Promise<Exchange> {
    let exchange: Exchange | null = null;
    const answer = await this.client.authorized(target, {
      ...options,
      isJudged: false,
      onExchange: (answered) => {
        exchange = answered;
      },
    });
    const earlier = this.#received.get(target);
    if (earlier !== undefined) getOrMake(this.#replaced, target, () => []).push(earlier);
    this.#answers.set(target, Promise.resolve(answer));
    this.#received.set(target, answer);
    if (exchange === null) throw new Error('an answer without its exchange');
    return exchange;
  }

  /**
   * The list by its links, from `$count=true` and a page size: all of it, or its first pages. These are enough to judge sizes
   * and links at a page size that is too small to traverse the whole list.
   *
   * @param pageSize null to leave it out
   * @param options.maxPages pages read at most; all up to limits.maxPages if left out
   */
  traversal(
    pageSize: number | null,
    { maxPages = Number.POSITIVE_INFINITY }: { readonly maxPages?: number } = {},
  ): Promise<Traversal> {
    const key = `${pageSize} ${maxPages}`;
    const known = this.#traversals.get(key);
    if (known === undefined) return this.#traverse(key, pageSize, maxPages);
    const use = (): void => this.#onUse(this.#exchangesOf.get(key) ?? []);
    if (this.#exchangesOf.has(key)) use();
    else known.then(use, () => undefined);
    return known;
  }

  /** The traversal of the whole list with the default page size if a check has requested it; null otherwise. */
  startedTraversal(): Promise<Traversal> | null {
    return this.#traversals.get(`null ${Number.POSITIVE_INFINITY}`) ?? null;
  }

  /** The answer to the link of a page, with the token of that page; null if it gives no usable one. Throws as {@link at}. */
  async follow(page: Page): Promise<ListAnswer | null> {
    const link = this.linkOf(page);
    return link === null ? null : this.at(link.target, { after: page.exchange, isJudged: false });
  }

  /** What a page's nextPageLink leads to; null if the page gives no usable one. */
  linkOf({ link }: Page): UsableLink | null {
    return usableLink(link, this.client.address);
  }

  pages(): readonly Page[] {
    return [...this.#received.values()].filter((answer): answer is Page => answer.kind === 'page');
  }

  answers(): readonly ListAnswer[] {
    return [...this.#received.values()];
  }

  /** The answers of these exchanges; where a later answer to the same request is the same, the later one. */
  answersOf(exchanges: Iterable<number>): readonly ListAnswer[] {
    const numbers = new Set(exchanges);
    return this.answers().flatMap((answer) => {
      const earlier =
        this.#replaced.get(answer.target)?.filter(({ exchange }) => numbers.has(exchange)) ?? [];
      const others = earlier.filter((one) => !sameAnswer(one, answer));
      const isNamed = numbers.has(answer.exchange) || others.length < earlier.length;
      return isNamed ? [...others, answer] : others;
    });
  }

  /** Whether both snapshots got different data for the same request. */
  differsFrom(other: Snapshot): boolean {
    return this.#answersToSameTargets(other).some(([now, then]) => !sameAnswer(now, then));
  }

  /** Whether both snapshots got pages with different records or counts for the same request. */
  recordsDifferFrom(other: Snapshot): boolean {
    return this.#answersToSameTargets(other).some(
      ([now, then]) => now.kind === 'page' && then.kind === 'page' && !sameAnswer(now, then),
    );
  }

  /** Pairs of answers to requests that both snapshots sent: of this one and of the other. */
  #answersToSameTargets(other: Snapshot): readonly (readonly [ListAnswer, ListAnswer])[] {
    return [...this.#received].flatMap(([target, answer]) => {
      const then = other.#received.get(target);
      return then === undefined ? [] : [[answer, then]];
    });
  }

  #traverse(key: string, pageSize: number | null, maxPages: number): Promise<Traversal> {
    const { limits } = this.client.target;
    const traversal = traverse({
      at: (linked, context) => this.at(linked, context),
      targetOf: (size, skip) => this.targetOf({ count: true, pageSize: size, skip }),
      address: this.client.address,
      start: this.targetOf({ count: true, pageSize: pageSize ?? undefined }),
      pageSize,
      mostPages: Math.min(maxPages, limits.maxPages),
      maxPages: limits.maxPages,
    });
    this.#traversals.set(key, traversal);
    traversal.then(
      ({ steps }) => {
        this.#exchangesOf.set(
          key,
          steps.map(({ page }) => page.exchange),
        );
      },
      () => undefined,
    );
    return traversal;
  }
}

/** One in this number of page sizes has its first page requested on a new connection. */
const SIZE_INTERVAL = 4;
/** Places in a list, in pages, whose pages are requested on new connections. */
const FAR_PAGES = [1, 3, 7];

/**
 * Which connection a page is requested over. About ten first pages and as many further ones of a full run are requested
 * without compression and over new connections, so that a load balancer hands the token to all of its servers.
 */
export function connectionFor(target: string): Connection {
  const parameters = parametersOf(target);
  const size = wholeNumberIn(parameters, '$pagesize');
  const skip = wholeNumberIn(parameters, '$skip');
  const isApart =
    skip === null
      ? size !== null && size % SIZE_INTERVAL === 1
      : FAR_PAGES.includes(skip / (size ?? MAX_PAGE_SIZE));
  return isApart ? 'new-uncompressed' : 'kept';
}

/** The snapshots of one list: the first is shared by all checks, the others are taken to confirm breaches. */
export class Snapshots {
  readonly #take: (number: number) => Snapshot;
  readonly #snapshots: Snapshot[] = [];

  constructor(take: (number: number) => Snapshot) {
    this.#take = take;
  }

  /** The snapshot of that number, from 0; created on first use. */
  at(number: number): Snapshot {
    while (this.#snapshots.length <= number) this.#snapshots.push(this.#take(this.#snapshots.length));
    return this.#snapshots[number] as Snapshot;
  }

  upTo(number: number): readonly Snapshot[] {
    return this.#snapshots.slice(0, number + 1);
  }

  /** Whether the list gives another answer now than in that snapshot. */
  async hasChanged(number: number): Promise<boolean> {
    const snapshot = this.at(number);
    const target = snapshot.targetOf({ count: true });
    const [then, now] = await Promise.all([snapshot.at(target), snapshot.client.authorized(target)]);
    return !sameAnswer(then, now);
  }
}
