import { Blocked } from '../core/undecided.ts';
import { type Identities, sameIdentities } from '../provider/identity.ts';
import type { ListAnswer, Page } from '../provider/page.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Step, Traversal } from '../provider/traversal.ts';
import type { CheckContext } from './context.ts';
import { wholeTraversals } from './list-traversals.ts';
import { blockedByMisstep, firstMisstep } from './missteps.ts';
import { MAX_PAGE_SIZE } from './page-sizes.ts';
import { traversalName } from './traversals.ts';

/** Records of a traversal, and the query that requests them by parameters (4.3.3). */
export interface PageByParameters {
  readonly traversal: Traversal;
  /** The linked page that holds the first of them. */
  readonly step: Step;
  readonly query: string;
  readonly skip: number;
  /** The records of the traversal from there, as many as a page holds. */
  readonly expected: Identities;
  /** The linked page after that one, which holds the others of them; null for the last page. */
  readonly nextStep: Step | null;
  /** Whether they are one page of the traversal; otherwise they begin within a page, and $skip is no multiple of $pagesize. */
  readonly isAligned: boolean;
}

/**
 * Linked pages to request by their parameters as well: of the traversal with the smallest pages one in the middle and the
 * last, of others the second, where offsets go wrong, and one drawn page of each. From a drawn offset within such a page as
 * many records are requested again, because providers that page by number truncate $skip / $pagesize. Traversals with a
 * misstep are left out. Every request has the page size of its traversal, because the order may depend on the page size.
 */
export async function pagesByParameters(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<readonly PageByParameters[]> {
  const traversals = (await wholeTraversals(context, snapshot)).filter(({ pageSize }) => pageSize !== null);
  return traversals.flatMap((traversal, index) => {
    const misstep = firstMisstep(traversal);
    if (misstep !== null) {
      context.limitedBy(blockedByMisstep(misstep));
      return [];
    }
    const linked = traversal.steps.slice(1);
    const drawn = context.random(`linked page ${traversal.pageSize}`) % Math.max(1, linked.length);
    const chosen = new Set([
      ...(index === 0 ? [Math.floor(linked.length / 2), linked.length - 1] : [0]),
      drawn,
    ]);
    const aligned = linked
      .filter((_step, place) => chosen.has(place))
      .map((step) => askedFor(context, traversal, step, step.given - step.page.itemCount));
    // From within the page before the first of these, or the one before that, if the traversal gives a full page from there.
    const [first] = aligned;
    const offset = 1 + (context.random(`offset ${traversal.pageSize}`) % Math.max(1, sizeOf(traversal) - 1));
    const within = [1, 2].flatMap((back) => {
      const holder = first === undefined ? undefined : traversal.steps[first.step.number - back];
      if (holder === undefined) return [];
      const asked = askedFor(context, traversal, holder, holder.given - holder.page.itemCount + offset);
      return asked.expected.length === sizeOf(traversal) ? [asked] : [];
    });
    // traversal/no-duplicates reports records that appear twice; such a record has no single position.
    const isDistinct = traversal.identified && traversal.reached.size === traversal.steps.at(-1)?.given;
    return sizeOf(traversal) > 1 && isDistinct ? [...aligned, ...within.slice(0, 1)] : aligned;
  });
}

function sizeOf({ pageSize }: Traversal): number {
  return pageSize ?? MAX_PAGE_SIZE;
}

function askedFor(context: CheckContext, traversal: Traversal, step: Step, skip: number): PageByParameters {
  const size = sizeOf(traversal);
  // The parameters are in another order than in links, so the request target differs from that of the linked page.
  const orders = [
    `$skip=${skip}&$pagesize=${size}&$count=true`,
    `$pagesize=${size}&$count=true&$skip=${skip}`,
    `$skip=${skip}&$count=true&$pagesize=${size}`,
    `$pagesize=${size}&$skip=${skip}&$count=true`,
  ];
  const [query = ''] = orders.slice(context.random(`order ${size} ${skip}`) % orders.length);
  const from = step.given - step.page.itemCount;
  const nextStep = traversal.steps[step.number] ?? null;
  const next = nextStep?.page.identities ?? new BigUint64Array();
  const expected = BigUint64Array.of(...step.page.identities, ...next).slice(skip - from, skip - from + size);
  return { traversal, step, nextStep, query, skip, expected, isAligned: skip === from };
}

/**
 * How the answer to such a query differs from the traversal, as the end of a sentence; null if it does not. A
 * provider may refuse an offset within a page, since the specification does not mention it.
 */
export function differenceFromLinkedPage(asked: PageByParameters, answer: ListAnswer): string | null {
  const { expected, isAligned } = asked;
  if (answer.kind !== 'page')
    return answer.kind === 'refused' && !isAligned ? null : `is refused: ${answer.why}`;
  const asMany = answer.itemCount === expected.length;
  if (asMany && sameIdentities(answer.identities, expected)) return null;
  if (!isAligned && asMany) return differenceWithinPages(asked, answer);
  const others = countOutside(answer.identities, expected);
  return asMany && others === 0 ? null : `gives ${answer.itemCount} records${differentOnes(others)}`;
}

/**
 * The same for records from within a page to within the next. The order of the records on a page is open, so only how many
 * of them are on which page is compared.
 */
function differenceWithinPages(
  { step, nextStep, skip }: PageByParameters,
  { identities, itemCount }: Page,
): string | null {
  const before = step.given - step.page.itemCount;
  const wanted = step.given - skip;
  const others = countOutside(
    identities,
    BigUint64Array.of(...step.page.identities, ...(nextStep?.page.identities ?? [])),
  );
  const ofFirst = itemCount - countOutside(identities, step.page.identities);
  if (others === 0 && ofFirst === wanted) return null;
  return others > 0
    ? `gives ${itemCount} records${differentOnes(others)}`
    : `gives ${ofFirst} of the records ${before + 1} to ${step.given} instead of ${wanted}`;
}

function differentOnes(others: number): string {
  return others === 0 ? '' : `, ${others} of them different`;
}

function countOutside(identities: Identities, known: Identities): number {
  const set = new Set(known);
  return identities.filter((identity) => !set.has(identity)).length;
}

/** Blocked by traversal/by-parameters if a linked page differs when it is requested by its parameters; null if none does. */
export async function findBrokenParameters(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<Blocked | null> {
  for (const asked of await pagesByParameters(context, snapshot)) {
    const answer = await snapshot.query(asked.query);
    const what = differenceFromLinkedPage(asked, answer);
    if (what === null) continue;
    const where = `page ${asked.step.number} of ${traversalName(asked.traversal)}`;
    return new Blocked('traversal/by-parameters', `GET ${answer.target} ${what}, unlike ${where}`);
  }
  return null;
}
