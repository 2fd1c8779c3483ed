import type { NoPage, Page } from './page.ts';

/** The page that gave a link, as far as is needed to judge the link. */
export type LinkSource = Pick<Page, 'exchange' | 'target' | 'itemCount' | 'count' | 'link'>;

/** A link that was followed and gave no page. */
export interface LostLink {
  readonly source: LinkSource;
  readonly answer: NoPage;
}

/** The links that a list gave, and the answers to all requests that follow them. */
export class LinkLog {
  /** The first page that gave a link to a request target. */
  readonly #sources = new Map<string, LinkSource>();
  /** How many answers there were to each request target. */
  readonly #answers = new Map<string, number>();
  readonly #noPages: NoPage[] = [];

  /** @param linked the request target that the page's link leads to; null if it has no link to the list */
  notePage({ exchange, target, itemCount, count, link }: Page, linked: string | null): void {
    this.#count(target);
    if (linked !== null && !this.#sources.has(linked))
      this.#sources.set(linked, { exchange, target, itemCount, count, link });
  }

  noteNoPage(answer: NoPage): void {
    this.#count(answer.target);
    this.#noPages.push(answer);
  }

  /** The request targets of the links so far, each with the page that gave it. */
  get given(): readonly (readonly [target: string, source: LinkSource])[] {
    return [...this.#sources];
  }

  /** Answers so far to requests of links. */
  get followed(): number {
    let followed = 0;
    for (const target of this.#sources.keys()) followed += this.#answers.get(target) ?? 0;
    return followed;
  }

  /** Links so far whose answer was no page, in the order of the answers. */
  get lost(): readonly LostLink[] {
    return this.#noPages.flatMap((answer) => {
      const source = this.#sources.get(answer.target);
      return source === undefined ? [] : [{ source, answer }];
    });
  }

  #count(target: string): void {
    this.#answers.set(target, (this.#answers.get(target) ?? 0) + 1);
  }
}
