import type { Exchange } from '../core/exchange.ts';
import type { NoPage, Page } from './page.ts';

/** The page that gave a link, as far as is needed to judge the link. */
export type LinkSource = Pick<Page, 'exchange' | 'target' | 'itemCount' | 'count' | 'link'>;

/** A link that was followed and gave no page. */
export interface LostLink {
  readonly source: LinkSource;
  readonly answer: NoPage;
  /** Whether the request followed a link with the token that obtained it; otherwise it may have had another token. */
  readonly isFollowed: boolean;
}

/** When a request was sent and when its answer was complete, in milliseconds since the epoch. */
interface Span {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** The links that a list gave, and the answers to all requests that follow them. */
export class LinkLog {
  /** The first page that gave a link to a request target. */
  readonly #sources = new Map<string, LinkSource>();
  /** How many answers there were to each request target. */
  readonly #answers = new Map<string, number>();
  readonly #noPages: Pick<LostLink, 'answer' | 'isFollowed'>[] = [];
  /** Of each answer that was no page, by the number of its exchange. */
  readonly #spans = new Map<number, Span>();
  /** Of all pages. */
  readonly #pageSpans: Span[] = [];

  /** @param linked the request target that the page's link leads to; null if it has no link to the list */
  notePage(
    { exchange, target, itemCount, count, link }: Page,
    timing: Pick<Exchange, 'startedAt' | 'durationMs'>,
    linked: string | null,
  ): void {
    this.#count(target);
    this.#pageSpans.push(spanOf(timing));
    if (linked !== null && !this.#sources.has(linked))
      this.#sources.set(linked, { exchange, target, itemCount, count, link });
  }

  noteNoPage(
    { answer, isFollowed }: Pick<LostLink, 'answer' | 'isFollowed'>,
    timing: Pick<Exchange, 'startedAt' | 'durationMs'>,
  ): void {
    this.#count(answer.target);
    this.#noPages.push({ answer, isFollowed });
    this.#spans.set(answer.exchange, spanOf(timing));
  }

  /** The request targets of the links so far, each with the page that gave it. */
  get given(): readonly (readonly [target: string, source: LinkSource])[] {
    return [...this.#sources];
  }

  /** Whether a link so far leads to that request target. */
  isGiven(target: string): boolean {
    return this.#sources.has(target);
  }

  /** Answers so far to requests of links. */
  get followed(): number {
    let followed = 0;
    for (const target of this.#sources.keys()) followed += this.#answers.get(target) ?? 0;
    return followed;
  }

  /** Links so far whose answer was no page, in the order of the answers. */
  get lost(): readonly LostLink[] {
    return this.#noPages.flatMap((noPage) => {
      const source = this.#sources.get(noPage.answer.target);
      return source === undefined ? [] : [{ source, ...noPage }];
    });
  }

  /**
   * How many of these answers are separate: after one and before the next, a page was requested and given. Answers that are not
   * may be due to one outage of the provider.
   */
  separate(answers: readonly NoPage[]): number {
    const spans = answers
      .flatMap(({ exchange }) => this.#spans.get(exchange) ?? [])
      .sort((one, other) => one.sentAt - other.sentAt);
    const separate: Span[] = [];
    for (const span of spans) {
      const before = separate.at(-1);
      const isBetween = (page: Span): boolean =>
        before !== undefined && page.sentAt >= before.answeredAt && page.answeredAt <= span.sentAt;
      if (before === undefined || this.#pageSpans.some(isBetween)) separate.push(span);
    }
    return separate.length;
  }

  #count(target: string): void {
    this.#answers.set(target, (this.#answers.get(target) ?? 0) + 1);
  }
}

function spanOf({ startedAt, durationMs }: Pick<Exchange, 'startedAt' | 'durationMs'>): Span {
  return { sentAt: startedAt, answeredAt: startedAt + durationMs };
}
