import type { CallLog } from './call-log.ts';
import { offsetIn, parametersOf } from './link.ts';
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

/** The links that a list gave, and the answers to all requests that follow them. */
export class LinkLog {
  readonly #calls: CallLog;
  /** The first page that gave a link to a request target. */
  readonly #sources = new Map<string, LinkSource>();
  readonly #wrongOffsets = new Set<string>();
  readonly #rightOffsets = new Set<string>();
  readonly #pages: Pick<Page, 'exchange' | 'target'>[] = [];
  readonly #noPages: Pick<LostLink, 'answer' | 'isFollowed'>[] = [];

  constructor(calls: CallLog) {
    this.#calls = calls;
  }

  /** @param linked the request target that the page's link leads to; null if it has no link to the list */
  notePage({ exchange, target, itemCount, count, link }: Page, linked: string | null): void {
    this.#pages.push({ exchange, target });
    if (linked === null) return;
    if (!this.#sources.has(linked)) this.#sources.set(linked, { exchange, target, itemCount, count, link });
    // A link to the page itself did not lead there.
    if (linked === target || this.#rightOffsets.has(linked)) return;
    const before = offsetIn(parametersOf(target));
    const isWrong =
      this.hasWrongOffset(target) ||
      (before !== null && offsetIn(parametersOf(linked)) !== before + itemCount);
    (isWrong ? this.#wrongOffsets : this.#rightOffsets).add(linked);
  }

  noteNoPage(noPage: Pick<LostLink, 'answer' | 'isFollowed'>): void {
    this.#noPages.push(noPage);
  }

  /** The request targets of the links so far, each with the page that gave it. */
  get given(): readonly (readonly [target: string, source: LinkSource])[] {
    return [...this.#sources];
  }

  /** The first page so far that gave a link to that request target; undefined if none did. */
  sourceOf(target: string): LinkSource | undefined {
    return this.#sources.get(target);
  }

  /** Whether a page so far has a link that leads to the list. */
  get hasGiven(): boolean {
    return this.#sources.size > 0;
  }

  /** Whether a link so far leads to that request target. */
  isGiven(target: string): boolean {
    return this.#sources.has(target);
  }

  /**
   * Whether the `$skip` of each link so far to that target is not the number of records up to the page that gave it (2.3), or
   * such a link led to that page.
   */
  hasWrongOffset(target: string): boolean {
    return this.#wrongOffsets.has(target) && !this.#rightOffsets.has(target);
  }

  /** Answers so far to requests of links. */
  get followed(): number {
    const answers = [...this.#pages, ...this.#noPages.map(({ answer }) => answer)];
    return answers.filter(({ target }) => this.isGiven(target)).length;
  }

  /**
   * Links so far whose answer was no page, in the order of the answers. A request by parameters that was refused before a page
   * gave a link to the same target did not follow that link.
   */
  get lost(): readonly LostLink[] {
    return this.#noPages.flatMap((noPage) => {
      const source = this.#sources.get(noPage.answer.target);
      if (source === undefined) return [];
      const isLost = noPage.isFollowed || source.exchange < noPage.answer.exchange;
      return isLost ? [{ source, ...noPage }] : [];
    });
  }

  /**
   * How many of these answers are separate: after one and before the next, a page was requested and given. Answers that are not
   * may be due to one outage of the provider.
   */
  separate(answers: readonly NoPage[]): number {
    const pages = this.#calls.among(this.#pages.map(({ exchange }) => exchange));
    const calls = this.#calls.among(answers.map(({ exchange }) => exchange));
    let endedAt = Number.NEGATIVE_INFINITY;
    let separate = 0;
    for (const { from, to } of calls.toSorted((one, other) => one.from - other.from)) {
      if (separate > 0 && !pages.some((page) => page.from >= endedAt && page.to <= from)) continue;
      endedAt = to;
      separate++;
    }
    return separate;
  }
}
