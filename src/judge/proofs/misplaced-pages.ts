import { sameIdentities } from '../../provider/identity.ts';
import { canonicalQuery, hasParameter, wholeNumberIn } from '../../provider/link.ts';
import type { ListClient } from '../../provider/list-client.ts';
import { othersIn, type Page } from '../../provider/page.ts';
import type { Connection } from '../../provider/sender.ts';
import { Snapshot } from '../../provider/snapshot.ts';
import { attemptUntilSeenAgain } from '../confirmation.ts';
import type { CheckContext } from '../context.ts';
import { type GivenPlace, isLinked } from '../given-place.ts';
import { misplacedTo, pagesOfRun } from '../list-facts.ts';
import { requestedPageOf } from '../probes/requested-page.ts';
import { type Violation, violationOn } from '../violation.ts';

/** Exchanges that the violation names at most, in addition to the first two. */
const MAX_EXCHANGES = 4;

/** A page that answers another $skip than that of its request. */
interface MisplacedPage {
  readonly page: Page;
  readonly skip: number;
  readonly given: GivenPlace;
}

/**
 * Expects that every page of the run, no matter which check requested it, answers the $skip of its request (4.3.3). Throws
 * Violation if two do not; Undecided for a single one that is given correctly when it is requested again.
 */
export async function expectNoMisplacedPage(context: CheckContext): Promise<void> {
  const { list, snapshot } = context;
  const pages = [...new Set(pagesOfRun(snapshot))];
  // page-size/encoded-name judges names with %24, unless the provider's own links have them, and link/query links without
  // $skip.
  const { links } = list.history;
  const judged = pages.filter(({ target }) =>
    links.isGiven(target) ? hasParameter(target, '$skip') : !target.includes('%24'),
  );
  const found = judged.flatMap((page) => misplacedPage(page, pages, snapshot) ?? []);
  const [first] = found;
  if (first === undefined) return;
  if (found.length === 1) {
    const connections: Connection[] = [];
    // The page may have continued after the one that was requested before it.
    const { page, given } = first;
    const before = given.skip - page.itemCount;
    const targetBefore = page.target.replace(/(?<=skip=)\d+/, String(before));
    const requestAgain = async (): Promise<MisplacedPage | null> => {
      const connection = connections.length % 2 === 0 ? 'new' : 'kept';
      if (connection === 'kept' && before >= 0) await list.authorized(targetBefore, { connection });
      connections.push(connection);
      const again = await list.authorized(first.page.target, { connection });
      return again.kind === 'page' ? misplacedPage(again, pages, snapshot) : null;
    };
    found.push(await attemptUntilSeenAgain(requestAgain, { message: messageFor(first) }));
  }
  throw violationFor(first, found);
}

function misplacedPage(page: Page, pages: readonly Page[], snapshot: Snapshot): MisplacedPage | null {
  const requested = requestedPageOf(page);
  const given = requested === null ? null : misplacedTo(requested, pages, snapshot);
  return requested === null || given === null ? null : { page, skip: requested.skip, given };
}

function violationFor(first: MisplacedPage, found: readonly MisplacedPage[]): Violation {
  const { page, skip, given } = first;
  const others = found.filter((one) => one !== first).map((one) => one.page.exchange);
  return violationOn(page, {
    message: `${messageFor(first)} (${found.length} answers of this run)`,
    expected: `records ${skip + 1} to ${skip + page.itemCount}`,
    actual: `records ${given.skip + 1} to ${given.skip + page.itemCount}`,
    further: [given.by.exchange, ...others.slice(0, MAX_EXCHANGES)],
  });
}

function messageFor({ page, skip, given }: MisplacedPage): string {
  return (
    `GET ${page.target} gives other records than those of its place: it is answered as if $skip were ${given.skip} instead of ` +
    `${skip}, with the ${isLinked(page) ? 'link' : 'end'} of that place and with records that ${given.by.target} gives; ` +
    'a page holds the records from its $skip on'
  );
}

/** How often a linked page and its parameters alone are requested in turn. */
const TURNS = 2;

/**
 * The breach of a page for which a link with further parameters, and its $count, $pagesize and $skip alone, give different
 * records each time (4.3.3). Null if there is none, as where links have no further parameters, which costs no request.
 *
 * @param place the page after which the link leads to, by its parameters
 */
export async function findMisreadPlace(
  list: ListClient,
  place: { readonly skip: number; readonly size: number },
): Promise<Violation | null> {
  const snapshot = new Snapshot(list);
  const { skip, size } = place;
  const next = skip + size;
  const before = await snapshot.first({ count: true, pageSize: size, skip: skip || undefined });
  const link = before.kind === 'page' ? snapshot.linkOf(before) : null;
  // A wrong offset or page size in the link explains other records.
  if (before.kind !== 'page' || link === null || wholeNumberIn(link.parameters, '$skip') !== next)
    return null;
  if (wholeNumberIn(link.parameters, '$pagesize') !== size) return null;
  const target = snapshot.targetOf({ count: true, pageSize: size, skip: next });
  if (canonicalQuery(target) === canonicalQuery(link.target)) return null;
  let first: LinkedPage | null = null;
  for (let turn = 0; turn < TURNS; turn++) {
    const linked = await list.authorized(link.target, { after: before.exchange });
    const page = await list.authorized(target);
    if (linked.kind !== 'page' || page.kind !== 'page' || page.count !== linked.count) return null;
    first ??= { before, linked, page };
    // An order that changes between requests explains other records.
    if (!sameIdentities(linked.identities, first.linked.identities)) return null;
    if (!sameIdentities(page.identities, first.page.identities)) return null;
  }
  if (first === null || othersIn(first.page, first.linked) === 0) return null;
  return otherThanLinked(first, `, ${TURNS} times in turn`);
}

/** A linked page, and the page that its $count, $pagesize and $skip alone give. */
export interface LinkedPage {
  readonly before: Page;
  readonly linked: Page;
  readonly page: Page;
}

/** The breach of a page by parameters that gives other records than the linked page. */
export function otherThanLinked({ page, before, linked }: LinkedPage, howOften = ''): Violation {
  const others = othersIn(page, linked);
  return violationOn(page, {
    message:
      `GET ${page.target} gives ${page.itemCount} records, ${others} of them others than those of ` +
      `${linked.target}, to which the link of ${before.target} leads${howOften}`,
    expected: `the ${linked.itemCount} records of the linked page`,
    actual: `${page.itemCount} records, ${others} of them different`,
    further: [linked.exchange, before.exchange],
  });
}
