import { recordCount } from '../../core/number-format.ts';
import { type Identities, sameIdentities } from '../../provider/identity.ts';
import { canonicalQuery } from '../../provider/link.ts';
import { type ListAnswer, othersIn, type Page } from '../../provider/page.ts';
import type { CheckContext } from '../context.ts';
import { countProvenRecords } from '../probes/list-facts.ts';
import { mainTraversal } from '../probes/list-traversals.ts';
import { recordsAt } from '../traversals.ts';
import { violationOn } from '../violation.ts';
import { isFresh } from './data-at-rest.ts';

/** Pages that must be wrong when they are repeated, and right when they are requested first. */
const ROUNDS = 4;
/** Records from the beginning of the list among which the pages are. */
const MAX_RECORDS = 2000;
/** The largest page that is requested. */
const MAX_SIZE = 60;

/** A page that no request of the run asked for, and its records by the main traversal. */
interface UnusedPage {
  readonly target: string;
  readonly expected: Identities;
}

/**
 * Expects that a page holds the same records when its request is repeated, if one of the run did not. Requests pages that
 * nobody requested before, and each of them again: data that changes does not spare the first request each time, nor the
 * other pages that are requested in between, more of them in each round. Throws Violation.
 */
export async function expectSameWhenRepeated(context: CheckContext): Promise<void> {
  const { list, snapshot, exercised } = context;
  if (!list.pages.isRepeatedOtherwise) return;
  const total = await countProvenRecords(snapshot);
  if (total === null) return;
  const unused = await unusedPages(context);
  const isRight = (answer: ListAnswer, { expected }: UnusedPage): answer is Page =>
    answer.kind === 'page' && answer.count === total && sameIdentities(answer.identities, expected);
  /** Whether a page that is requested for the first time holds its records. */
  const isNewRight = async (): Promise<boolean> => {
    const page = unused.shift();
    return page !== undefined && isRight(await list.authorized(page.target), page);
  };
  const shown: (readonly [again: Page, first: Page])[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let number = 0; number < round; number++) if (!(await isNewRight())) return;
    const page = unused.shift();
    if (page === undefined) return;
    const first = await list.authorized(page.target);
    if (!isRight(first, page)) return;
    const again = await list.authorized(page.target);
    if (again.kind !== 'page' || again.count !== total || !isOtherwise(again, first)) return;
    if (!(await isNewRight())) return;
    shown.push([again, first]);
  }
  const [seen] = shown;
  if (seen === undefined) return;
  const [again, first] = seen;
  // A cache may have kept the first answers from before a change.
  if (!(await isFresh(list, [first]))) return;
  exercised();
  const others = othersIn(again, first);
  const given = `${recordCount(again.itemCount)}${others === 0 ? '' : ` (${others} of them others)`}`;
  throw violationOn(first, {
    message:
      `GET ${first.target} gives the ${recordCount(first.itemCount)} of its place at first, and ${given} when it is requested again; ` +
      `so did all ${ROUNDS} pages that were requested twice, while others in between held their records and count stayed ${total}`,
    expected: `the same ${recordCount(first.itemCount)} each time`,
    actual: given,
    further: shown.map(([{ exchange }]) => exchange),
  });
}

/** Whether a page holds another number of records, or none of the same; their order within a page is open. */
function isOtherwise(again: Page, first: Page): boolean {
  return again.itemCount !== first.itemCount || othersIn(again, first) === again.itemCount;
}

/** Pages behind the first one in the usual form, by $pagesize and a multiple of it. */
async function unusedPages({ list, snapshot }: CheckContext): Promise<UnusedPage[]> {
  const records = recordsAt(await mainTraversal(snapshot), 0, MAX_RECORDS);
  const used = new Set([...list.pages.firstPages].map(({ target }) => canonicalQuery(target)));
  const pages: UnusedPage[] = [];
  for (let page = 1; page <= ROUNDS * ROUNDS; page++)
    for (let size = 2; size <= MAX_SIZE && (page + 1) * size <= records.length; size++) {
      const skip = page * size;
      const target = snapshot.targetOf({ count: true, pageSize: size, skip });
      if (!used.has(canonicalQuery(target)))
        pages.push({ target, expected: records.subarray(skip, skip + size) });
    }
  return pages;
}
