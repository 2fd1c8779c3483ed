import { sameIdentities } from '../../provider/identity.ts';
import { hasParameter } from '../../provider/link.ts';
import type { Page } from '../../provider/page.ts';
import { hasOneCount } from '../../provider/page-log.ts';
import type { Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { listFacts, pagesOfRun } from '../list-facts.ts';
import { requestedPageOf } from '../probes/requested-page.ts';
import { orderOf, recordsAt } from '../traversals.ts';
import { violationOn } from '../violation.ts';
import { isJudgedElsewhere } from './misplaced-pages.ts';

/** Records of a page at least: fewer may follow one another by chance. */
const LEAST_RECORDS = 4;
/** Pages that are tested at most. */
const MAX_TESTED = 3;
/** Which page is requested in turn, the shifted one or the linked one of its place: not alternately, because two servers may differ. */
const REQUESTS = [...'lsslls'];

/** A page that gives the records of the main traversal from another place on than its $skip. */
interface ShiftedPage {
  readonly page: Page;
  readonly skip: number;
  /** The place of its first record. */
  readonly from: number;
  /** The page of the main traversal with the record at `skip`. */
  readonly linked: Page;
}

/**
 * Expects that no page of the run with a $skip gives records that follow one another in the main traversal, but begin at another
 * place (4.3.3), even if its link or its end is that of its own place. Requests such a page again, and the linked page of its
 * place before and after it: changed data would change both. Throws Violation.
 */
export async function expectNoShiftedPage(context: CheckContext): Promise<void> {
  const { list, snapshot, exercised } = context;
  const { main, records } = await listFacts(snapshot);
  if (records === null || !hasOneCount(list.pages)) return;
  const places = new Map(orderOf(main).map((identity, place) => [identity, place]));
  const shifted = [...new Set(pagesOfRun(snapshot))].flatMap(
    (page) => shiftedPage(page, main, records, places) ?? [],
  );
  const judged = shifted.filter(({ page }) => !isJudgedElsewhere(page, context));
  for (const one of judged.slice(0, MAX_TESTED)) {
    if (!(await isShiftedAgain(one, context))) continue;
    exercised();
    const { page, skip, from, linked } = one;
    throw violationOn(page, {
      message:
        `GET ${page.target} gives records ${from + 1} to ${from + page.itemCount} of the traversal; ${linked.target} gives ` +
        `record ${skip + 1}, also right before and right after it. A page holds the records from its $skip on`,
      expected: `records ${skip + 1} to ${skip + page.itemCount}`,
      actual: `records ${from + 1} to ${from + page.itemCount}`,
      counterexample: { request: page.target },
      further: [linked.exchange],
    });
  }
}

function shiftedPage(
  page: Page,
  main: Traversal,
  records: number,
  places: ReadonlyMap<bigint, number>,
): ShiftedPage | null {
  const requested = requestedPageOf(page);
  if (requested?.isCounted !== true || requested.size === null || page.count !== records) return null;
  if (!hasParameter(page.target, '$skip') || page.itemCount < LEAST_RECORDS) return null;
  const { skip } = requested;
  const from = places.get(page.identities[0] ?? 0n);
  const linked = main.steps.find(({ recordsSoFar }) => recordsSoFar > skip)?.page;
  if (from === undefined || from === skip || linked === undefined) return null;
  const isRun = sameIdentities(page.identities, recordsAt(main, from, page.itemCount));
  return isRun ? { page, skip, from, linked } : null;
}

/** Whether both pages are given as before each time. */
async function isShiftedAgain({ page, linked }: ShiftedPage, { list }: CheckContext): Promise<boolean> {
  for (const request of REQUESTS) {
    const before = request === 's' ? page : linked;
    const again = await list.authorized(before.target);
    if (again.kind !== 'page' || again.count !== page.count) return false;
    if (!sameIdentities(again.identities, before.identities)) return false;
  }
  return true;
}
