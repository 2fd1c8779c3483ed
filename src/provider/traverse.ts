import { Memo } from '../core/memo.ts';
import { isEndless, overlongReason, pagesAhead, showsNoEnd, type TraversalState } from './endless-links.ts';
import { IdentitySet } from './identity-set.ts';
import { type ListPlace, readLink, type UsableLink, wholeNumberIn } from './link.ts';
import { earlyLink, type PageContext, type Prefetch } from './link-prefetch.ts';
import type { ListAnswer, Page } from './page.ts';
import { kindOf } from './schemas.ts';
import type { Step, Traversal, TraversalEnd } from './traversal.ts';

/** The bound on pages beyond the records of count; not a key of the target file. */
const PAGES_BEYOND = 'pages beyond count';

/** Where a traversal gets its pages from; throws as ListClient.authorized does. */
export interface PageSource {
  at(target: string, following?: PageContext): Promise<ListAnswer>;
  /** The request target of a page by its parameters. */
  targetOf(pageSize: number, skip: number): string;
  readonly place: ListPlace;
  /** limits.maxPages. */
  readonly maxPages: number;
}

/** Follows links from a first request until the links end or stop making sense. Throws as Snapshot.at does. */
export async function traverse(options: {
  readonly source: PageSource;
  readonly start: string;
  readonly pageSize: number | null;
  readonly mostPages: number;
  readonly identityOfRequest: (target: string) => string;
}): Promise<Traversal> {
  const { source, pageSize } = options;
  const steps: Step[] = [];
  let reached = new IdentitySet();
  const visited = new Map<string, number>();
  const finish = (end: TraversalEnd): Traversal => ({
    pageSize,
    steps,
    end,
    reached,
    identified,
    memo: new Memo(),
  });
  let target = options.start;
  let sizeInForce = pageSize ?? 500;
  let given = 0;
  let stale = 0;
  let beyond = 0;
  let identified = true;
  let count = 0;
  let unread = false;
  let lookedAhead = false;
  // The request of the link that is followed was computed when it was compared with visited ones.
  let request = options.identityOfRequest(target);
  // The next page is requested before this one is read, while more records are expected. A traversal that goes
  // wrong costs at most one further request.
  const prefetch: Prefetch = (exchange) => {
    const early =
      !unread && stale === 0 && given + sizeInForce < count && steps.length + 1 < options.mostPages;
    unread = true;
    const likely = early && exchange.answer !== null ? earlyLink(exchange.answer.body) : null;
    const link = likely === null ? null : readLink(likely, source.place);
    if (link?.kind !== 'relative' || visited.has(options.identityOfRequest(link.target))) return false;
    source.at(link.target, { prefetch, after: exchange.number }).catch(() => undefined);
    return true;
  };
  for (;;) {
    const after = steps.at(-1)?.page.exchange;
    const answer = await source.at(target, after === undefined ? { prefetch } : { prefetch, after });
    unread = false;
    if (answer.kind !== 'page') return finish({ kind: 'broken', answer });
    visited.set(request, steps.length + 1);
    if (steps.length === 0) reached = new IdentitySet(expectedRecords(answer, options.mostPages));
    const fresh = reached.addAll(answer.identities);
    given += answer.itemCount;
    identified &&= !answer.identities.includes(0n);
    const link =
      typeof answer.link === 'string' && answer.link !== '' ? readLink(answer.link, source.place) : null;
    const usable = link !== null && link.kind !== 'unusable' ? link : null;
    steps.push({ page: answer, number: steps.length + 1, sizeInForce, given, fresh, link: usable });
    if (answer.link === undefined || answer.link === '') return finish({ kind: 'end' });
    if (link === null)
      return finish({ kind: 'unusable', why: `it is ${kindOf(answer.link)} instead of a string` });
    if (link.kind === 'unusable') {
      if (link.limit !== undefined)
        return finish({
          kind: 'limit',
          limit: link.limit,
          why: `the link of page ${steps.length} was not followed: ${link.why}`,
        });
      return finish({ kind: 'unusable', why: link.why });
    }
    request = options.identityOfRequest(link.target);
    const back = visited.get(request);
    if (back !== undefined) return finish({ kind: 'circle', backTo: back });
    count = typeof answer.count === 'number' ? answer.count : 0;
    stale = fresh > 0 || steps.length === 1 ? 0 : stale + 1;
    beyond = given > count ? beyond + 1 : 0;
    const standing: TraversalState = { steps, stale, beyond };
    if (isEndless(standing)) return finish({ kind: 'runaway', pages: stale });
    const overlong = overlongReason(standing);
    if (overlong !== null) return finish({ kind: 'limit', limit: PAGES_BEYOND, why: overlong });
    if (steps.length >= options.mostPages) {
      return finish(
        options.mostPages < source.maxPages
          ? { kind: 'paused' }
          : {
              kind: 'limit',
              limit: 'maxPages',
              why: `limits.maxPages allows ${options.mostPages} pages, and the links continued`,
            },
      );
    }
    sizeInForce = sizeOf(link);
    target = link.target;
    const ahead = lookedAhead ? null : pagesAhead(standing);
    if (ahead === null || steps.length + ahead > options.mostPages) continue;
    lookedAhead = true;
    // A call without an answer does not concern the traversal.
    const far = await source.at(source.targetOf(sizeInForce, given + ahead * sizeInForce)).catch(() => null);
    if (far === null || !showsNoEnd(far, reached)) continue;
    const known = count > 0 ? `after the ${count} records of count` : 'with no count';
    return finish({
      kind: 'limit',
      limit: PAGES_BEYOND,
      why: `the links continued ${known}, and there are more ${ahead} pages further`,
    });
  }
}

// How many records a traversal of that many pages is expected to give, by its first page.
function expectedRecords({ count, itemCount, link }: Page, mostPages: number): number {
  return link === undefined || typeof count !== 'number' ? itemCount : Math.min(count, mostPages * itemCount);
}

function sizeOf(link: UsableLink): number {
  const size = wholeNumberIn(link.parameters, '$pagesize') ?? 500;
  return size >= 1 && size <= 500 ? size : 500;
}
