import type { Exchange } from '../core/exchange.ts';
import { canonicalQuery, readLink, type UsableLink } from './link.ts';
import type { PageContext } from './link-prefetch.ts';
import type { ListClient } from './list-client.ts';
import { type ListAnswer, type Page, sameAnswer } from './page.ts';
import { type Walk, walkFrom } from './traversal.ts';

/** Parameters of a first page, as the specification spells them. */
export interface FirstPage {
  /** $count; left out where undefined. */
  readonly count?: boolean;
  /** $pagesize, as it stands in the query; left out where undefined. */
  readonly pageSize?: number | string;
  /** $skip, as it stands in the query; left out where undefined. */
  readonly skip?: number;
}

/** Where the answers of a look are kept beyond the process, so that a host which starts over asks nothing twice. */
export interface Memory {
  recall(key: string): ListAnswer | null;
  keep(key: string, answer: ListAnswer): void;
}

/** What was asked in a look, whoever asked. */
class Asked {
  readonly answers = new Map<string, Promise<ListAnswer>>();
  readonly settled = new Map<string, ListAnswer>();
  readonly walks = new Map<string, Promise<Walk>>();
  /** Exchanges of the walks that are over. */
  readonly walked = new Map<string, readonly number[]>();
}

/**
 * One look at a list: every question is asked once and its answer kept, so that checks share evidence. Where a
 * breach shows in one look, the judge takes another: a fresh view.
 */
export class View {
  readonly client: ListClient;
  /** Which look it is, from 0. */
  readonly number: number;
  readonly #memory: Memory | null;
  /** Told the exchanges whose answers somebody takes, as often as they are taken; those of a walk always as one list. */
  readonly #onUse: (exchanges: readonly number[]) => void;
  readonly #asked: Asked;

  constructor(
    client: ListClient,
    number = 0,
    memory: Memory | null = null,
    onUse: (exchanges: readonly number[]) => void = () => undefined,
    asked = new Asked(),
  ) {
    this.#asked = asked;
    this.client = client;
    this.number = number;
    this.#memory = memory;
    this.#onUse = onUse;
  }

  /** The same look with all that was asked in it, taken by another client of the same list. */
  through(client: ListClient, onUse: (exchanges: readonly number[]) => void): View {
    return new View(client, this.number, this.#memory, onUse, this.#asked);
  }

  /** A copy with the answers that are there, for a client that sends nothing: what is asked of it is not kept here. */
  copy(client: ListClient): View {
    const asked = new Asked();
    for (const [target, answer] of this.#asked.settled) {
      asked.settled.set(target, answer);
      asked.answers.set(target, Promise.resolve(answer));
    }
    return new View(client, this.number, null, () => undefined, asked);
  }

  /** One object for all that take the same look, to remember things by. */
  get shared(): object {
    return this.#asked;
  }

  /** The request target of a first page. */
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
   * The answer for a request target, asked once with the token; `following`, which says how, counts only where it is asked
   * now.
   */
  at(target: string, following: PageContext = {}): Promise<ListAnswer> {
    const known = this.#asked.answers.get(target);
    const settled = this.#asked.settled.get(target);
    // Nearly always it is there already, and then nothing has to wait for it.
    if (known !== undefined && settled !== undefined) {
      this.#onUse([settled.exchange]);
      return known;
    }
    const asked = known ?? this.#ask(target, following);
    asked.then(
      ({ exchange }) => this.#onUse([exchange]),
      () => undefined,
    );
    if (known !== undefined) return known;
    this.#asked.answers.set(target, asked);
    asked.then(
      (answer) => this.#asked.settled.set(target, answer),
      () => undefined,
    );
    return asked;
  }

  /** The exchange for a request target, body and all: always asked anew, and what it says is this look's answer. */
  async exchange(target: string): Promise<Exchange> {
    let exchange: Exchange | null = null;
    const answer = await this.client.authorized(target, {
      told: (answered) => {
        exchange = answered;
      },
    });
    this.#asked.answers.set(target, Promise.resolve(answer));
    this.#asked.settled.set(target, answer);
    if (exchange === null) throw new Error('an answer without its exchange');
    return exchange;
  }

  /** The whole list by its links, from `$count=true` and a page size (null: left out). */
  walk(pageSize: number | null): Promise<Walk> {
    return this.#walk(pageSize, Number.POSITIVE_INFINITY);
  }

  /** The walk with that page size where one was asked for already; null where none was. */
  walked(pageSize: number | null): Promise<Walk> | null {
    return this.#asked.walks.get(`${pageSize} ${Number.POSITIVE_INFINITY}`) ?? null;
  }

  /** The first pages of a walk: enough to judge sizes and links at a page size too small to walk whole. */
  stroll(pageSize: number, pages: number): Promise<Walk> {
    return this.#walk(pageSize, pages);
  }

  /** What a page's nextPageLink leads to; null where the page gives no usable one. */
  linkOf(page: Page): UsableLink | null {
    if (typeof page.link !== 'string' || page.link === '') return null;
    const link = readLink(page.link, this.client.place);
    return link.kind === 'unusable' ? null : link;
  }

  /** Every page seen so far in this view. */
  pages(): readonly Page[] {
    return [...this.#asked.settled.values()].filter((answer): answer is Page => answer.kind === 'page');
  }

  /** Every answer seen so far in this view. */
  answers(): readonly ListAnswer[] {
    return [...this.#asked.settled.values()];
  }

  /** Whether a question that both views asked was answered with other data: it moved, or the answers do. */
  differsFrom(other: View): boolean {
    for (const [target, answer] of this.#asked.settled) {
      const earlier = other.#asked.settled.get(target);
      if (earlier !== undefined && !sameAnswer(answer, earlier)) return true;
    }
    return false;
  }

  /** Whether a question that both views asked was answered with pages of other records, or of another count. */
  recordsDifferFrom(other: View): boolean {
    for (const [target, answer] of this.#asked.settled) {
      const earlier = other.#asked.settled.get(target);
      if (answer.kind === 'page' && earlier?.kind === 'page' && !sameAnswer(answer, earlier)) return true;
    }
    return false;
  }

  async #ask(target: string, following: PageContext): Promise<ListAnswer> {
    const key = `${this.client.resource.name} ${this.number} ${target}`;
    const kept = this.#memory?.recall(key) ?? null;
    if (kept !== null) return kept;
    const answer = await this.client.authorized(target, following);
    this.#memory?.keep(key, answer);
    return answer;
  }

  #walk(pageSize: number | null, pages: number): Promise<Walk> {
    const key = `${pageSize} ${pages}`;
    const known = this.#asked.walks.get(key);
    if (known !== undefined) {
      const use = (): void => this.#onUse(this.#asked.walked.get(key) ?? []);
      if (this.#asked.walked.has(key)) use();
      else known.then(use, () => undefined);
      return known;
    }
    const target = this.targetOf(pageSize === null ? { count: true } : { count: true, pageSize });
    const walk = walkFrom({
      source: {
        at: (linked, following) => this.at(linked, following),
        targetOf: (size, skip) => this.targetOf({ count: true, pageSize: size, skip }),
        place: this.client.place,
        maxPages: this.client.target.limits.maxPages,
      },
      start: target,
      pageSize,
      mostPages: Math.min(pages, this.client.target.limits.maxPages),
      identityOfRequest: canonicalQuery,
    });
    this.#asked.walks.set(key, walk);
    walk.then(
      ({ steps }) => {
        this.#asked.walked.set(
          key,
          steps.map(({ page }) => page.exchange),
        );
      },
      () => undefined,
    );
    return walk;
  }
}
