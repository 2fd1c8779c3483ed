import type { Page } from '../../provider/page.ts';
import type { Connection } from '../../provider/sender.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
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
  // page-size/encoded-name judges names with %24, unless the provider's own links have them.
  const judged = pages.filter(({ target }) => !target.includes('%24') || list.history.links.isGiven(target));
  const found = judged.flatMap((page) => misplacedPage(page, pages, snapshot) ?? []);
  const [first] = found;
  if (first === undefined) return;
  if (found.length === 1) {
    const connections: Connection[] = [];
    const requestAgain = async (): Promise<MisplacedPage | null> => {
      const connection = connections.length % 2 === 0 ? 'new' : 'kept';
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
    key: 'place',
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
