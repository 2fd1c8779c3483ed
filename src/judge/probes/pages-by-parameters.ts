import { recordCount } from '../../core/number-format.ts';
import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { Blocked } from '../../core/undecided.ts';
import { type Identities, sameIdentities } from '../../provider/identity.ts';
import type { ListAnswer } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Step, Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { awaitAll } from '../outcomes.ts';
import { findFirstFault, recordsAt, recordsBefore, traversalName } from '../traversals.ts';
import { traversalSizesOf } from './first-pages.ts';
import { countProvenRecords, listFacts, recordsAfter } from './list-facts.ts';
import { countedPages, wholeTraversals } from './list-traversals.ts';
import { partialTraversalSizes, sizeLeavingOne } from './page-sizes.ts';
import { type RequestedPage, requestedPageOf } from './requested-page.ts';

/** Records of a traversal, and the query that requests them by parameters (4.3.3). */
export interface PageByParameters {
  readonly traversal: Traversal;
  /** The linked page that holds the first of them. */
  readonly step: Step;
  readonly query: string;
  readonly skip: number;
  /** The records of the traversal from there, as many as a page holds. */
  readonly expected: Identities;
  /**
   * The linked pages that the records come from, and how many come from each: a provider may order the records within a
   * page differently.
   */
  readonly parts: readonly { readonly identities: Identities; readonly records: number }[];
  /**
   * Whether the records are one page of the traversal. Otherwise they begin within a page, and $skip is not a multiple of
   * $pagesize.
   */
  readonly isAligned: boolean;
}

/**
 * Linked pages to request by their parameters as well.
 *
 * - Of the traversal with the smallest pages: the last page and a drawn one.
 * - Of the next traversal: a drawn page.
 * - Of the others: the second page, where offsets go wrong.
 *
 * A page of the first two sizes is also requested from an offset within a page: providers that page by number truncate
 * $skip / $pagesize, and look for a full page to decide whether more follows. In every second run, a page of the third size
 * is requested from an offset within the first page, instead of the second page.
 *
 * Traversals with a fault are left out. Every request has the page size of its traversal, or none, because the order may
 * depend on the page size.
 */
export async function pagesByParameters(context: CheckContext): Promise<readonly PageByParameters[]> {
  const traversals = await wholeTraversals(context);
  const sized = traversals
    .filter(({ pageSize }) => pageSize !== null)
    // The main traversal comes first, also if it has the largest pages.
    .toSorted((one, other) => sizeOf(one) - sizeOf(other));
  const isSmoke = context.options.suite === 'smoke';
  const unsized = isSmoke ? [] : traversals.filter(({ pageSize }) => pageSize === null);
  return [...sized, ...unsized].flatMap((traversal, index) => {
    const fault = findFirstFault(traversal);
    if (fault === null) return pagesOfTraversal(context, traversal, index);
    context.limitedBy(fault);
    return [];
  });
}

/** The pages to request of a traversal without a fault. */
function pagesOfTraversal(
  context: CheckContext,
  traversal: Traversal,
  index: number,
): readonly PageByParameters[] {
  const linked = traversal.steps.slice(1);
  const drawn = context.random(`linked page ${traversal.pageSize}`) % Math.max(1, linked.length);
  const isSmallest = index === 0 && traversal.pageSize !== null;
  const chosen = new Set(isSmallest ? [drawn, linked.length - 1] : index === 1 ? [drawn] : [0]);
  const aligned = linked
    .filter((_step, place) => chosen.has(place))
    .map((step) => placeOf(context, traversal, step, recordsBefore(step)));
  // A provider that counts pages treats an offset below the page size as 0.
  const isOnFirst =
    index === 2 && traversal.pageSize !== null && isDrawn(context, 'offset within the first page');
  if (!mayBeginWithin(traversal) || (index >= 2 && !isOnFirst)) return aligned;
  // A page within the first page shows only which records links lose if they do not reach every record.
  const isCounted = (traversal.pageSize !== null && !isOnFirst) || countsWhatItGave(traversal);
  const within = isCounted ? pageWithin(context, traversal, aligned[0], { isSmallest, isOnFirst }) : null;
  if (within === null) return aligned;
  return isOnFirst && context.options.suite !== 'certify' ? [within] : [...aligned, within];
}

/** Whether a page may begin within another one: traversal/no-duplicates reports records that have no single position. */
function mayBeginWithin(traversal: Traversal): boolean {
  const isDistinct =
    traversal.isIdentified && traversal.reached.size === traversal.steps.at(-1)?.recordsSoFar;
  return sizeOf(traversal) > 1 && isDistinct;
}

function countsWhatItGave({ steps }: Traversal): boolean {
  const last = steps.at(-1);
  return last?.page.count === last?.recordsSoFar;
}

/**
 * A full page that begins within another one: where one more full page, or none, is left after it, or else at a drawn
 * offset within the first of the aligned pages, or within the page before it. Null if there is none.
 */
function pageWithin(
  context: CheckContext,
  traversal: Traversal,
  first: PageByParameters | undefined,
  { isSmallest, isOnFirst }: { readonly isSmallest: boolean; readonly isOnFirst: boolean },
): PageByParameters | null {
  const size = sizeOf(traversal);
  const offset = 1 + (context.random(`offset ${traversal.pageSize}`) % Math.max(1, size - 1));
  const total = traversal.steps.at(-1)?.recordsSoFar ?? 0;
  const offsets = [0, 1].map((back) => (first === undefined ? 0 : first.skip - back * size + offset));
  if (traversal.pageSize !== null) offsets.unshift(isSmallest ? total - 2 * size : total - size);
  // A provider may treat 1 as 0 although it reads other offsets.
  if (isOnFirst) offsets.unshift(isDrawn(context, 'least offset') ? 1 : offset);
  for (const skip of offsets) {
    const holder = skip < 1 ? undefined : traversal.steps.find(({ recordsSoFar }) => recordsSoFar > skip);
    const page = holder === undefined ? null : placeOf(context, traversal, holder, skip);
    if (page !== null && !page.isAligned && page.expected.length === size) return page;
  }
  return null;
}

/** True in about every second run by its seed, and always in certify. */
function isDrawn({ options, random }: CheckContext, label: string): boolean {
  return options.suite === 'certify' || random(label) % 2 === 0;
}

function sizeOf({ pageSize }: Traversal): number {
  return pageSize ?? MAX_PAGE_SIZE;
}

function placeOf(context: CheckContext, traversal: Traversal, step: Step, skip: number): PageByParameters {
  const size = sizeOf(traversal);
  // The parameters are in another order than in links, so the request target differs from that of the linked page.
  const orders =
    traversal.pageSize === null
      ? [`$skip=${skip}&$count=true`, `$count=true&$skip=${skip}`]
      : [
          `$skip=${skip}&$pagesize=${size}&$count=true`,
          `$pagesize=${size}&$count=true&$skip=${skip}`,
          `$skip=${skip}&$count=true&$pagesize=${size}`,
          `$pagesize=${size}&$skip=${skip}&$count=true`,
        ];
  const [query = ''] = orders.slice(context.random(`order ${size} ${skip}`) % orders.length);
  const from = recordsBefore(step);
  const held = step.page.identities;
  const next = traversal.steps[step.number]?.page.identities ?? new BigUint64Array();
  const missing = skip - from;
  const rest = held.subarray(missing);
  const following = next.subarray(0, missing);
  const parts = [
    { identities: held, records: rest.length },
    { identities: next, records: following.length },
  ];
  const expected = recordsAt(traversal, skip, rest.length + following.length);
  return { traversal, step, query, skip, expected, parts, isAligned: missing === 0 };
}

/**
 * How the answer to such a query differs from the traversal, as the end of a sentence; null if it does not differ. A
 * provider may refuse an offset within a page, or one without $pagesize: the specification mentions neither.
 */
export function differenceFromLinkedPage(
  { traversal, expected, parts, isAligned }: PageByParameters,
  answer: ListAnswer,
): string | null {
  const mayBeRefused = !isAligned || traversal.pageSize === null;
  if (answer.kind !== 'page')
    return answer.kind === 'refused' && mayBeRefused ? null : `is refused: ${answer.why}`;
  const asMany = answer.itemCount === expected.length;
  if (asMany && sameIdentities(answer.identities, expected)) return null;
  const given = [...new Set(answer.identities)];
  const found = parts.reduce((sum, { identities, records }) => {
    const held = new Set(identities);
    return sum + Math.min(records, given.filter((identity) => held.has(identity)).length);
  }, 0);
  const others = answer.itemCount - found;
  if (asMany && others === 0) return null;
  return `gives ${recordCount(answer.itemCount)}${others === 0 ? '' : `, ${others} of them different`}`;
}

/** Whether a page that was requested without $pagesize holds the first of the expected records only. */
export function isCutShort({ traversal, expected }: PageByParameters, answer: ListAnswer): boolean {
  return (
    traversal.pageSize === null &&
    answer.kind === 'page' &&
    answer.itemCount > 0 &&
    answer.itemCount < expected.length &&
    sameIdentities(answer.identities, expected.slice(0, answer.itemCount))
  );
}

/**
 * Whether a page that begins within a linked one holds the records at its place, the first of them too, but not all: then it
 * is not filled.
 */
export function lacksRecords({ expected, isAligned }: PageByParameters, answer: ListAnswer): boolean {
  if (isAligned || answer.kind !== 'page' || answer.itemCount >= expected.length) return false;
  const { identities } = answer;
  const given = new Set(identities);
  return (
    identities[0] === expected[0] &&
    sameIdentities(
      identities,
      expected.filter((identity) => given.has(identity)),
    )
  );
}

/**
 * Blocked by traversal/by-parameters if a linked page differs when it is requested by its parameters; null if none
 * does.
 */
export async function findBrokenParameters(context: CheckContext): Promise<Blocked | null> {
  for (const requested of await pagesByParameters(context)) {
    const answer = await context.snapshot.query(requested.query);
    const what = differenceFromLinkedPage(requested, answer);
    if (what === null) continue;
    const where = `page ${requested.step.number} of ${traversalName(requested.traversal)}`;
    return new Blocked('traversal/by-parameters', `GET ${answer.target} ${what}, unlike ${where}`);
  }
  return null;
}

/** Every page that was requested with `$count=true`, and every page that was requested by its parameters. */
export async function* countedPagesAndPagesByParameters(
  context: CheckContext,
): AsyncGenerator<RequestedPage | null> {
  yield* countedPages(context);
  const answers = await awaitAll(
    (await pagesByParameters(context)).map(async ({ query }) => context.snapshot.query(query)),
  );
  for (const answer of answers) yield requestedPageOf(answer);
}

/** A page near the end of a list, requested by its parameters. */
export interface DeepPage {
  readonly pageSize: number;
  /** A multiple of the page size: another offset may be refused. */
  readonly skip: number;
  readonly answer: ListAnswer;
  /** The request target that its link leads to; null if it has no link to the list. */
  readonly linked: string | null;
}

/** The page sizes of most deep pages: in a list of 1,032 records or more, such a page has a number above 256. */
const DEEP_SIZES = [3, 4];

/** The page of {@link deepPage}, which is not requested. */
export async function placeOfDeepPage(
  context: CheckContext,
): Promise<Pick<DeepPage, 'pageSize' | 'skip'> | null> {
  const { snapshot } = context;
  if (context.options.suite === 'smoke') return null;
  const total = await countProvenRecords(snapshot);
  if (total === null) return null;
  const drawn = context.random('deep size');
  const small = partialTraversalSizes(total, context.random('small size')).at(-1) ?? 1;
  const usual = drawn % 4 === 0 ? small : (DEEP_SIZES[drawn % DEEP_SIZES.length] ?? small);
  const pageSize = sizeLeavingOne(total, traversalSizesOf(context, total)) ?? usual;
  const skip = pageSize * (Math.ceil(total / pageSize) - 2);
  return skip < pageSize ? null : { pageSize, skip };
}

/**
 * The second to last page, with a page size too small to traverse the whole list: limits of offsets and of page numbers
 * show there, some of them for small pages only. If no traversal leaves a single record on the last page, this one does. Null if
 * the length of the list is not known, or if it has no such page.
 */
export async function deepPage(context: CheckContext): Promise<DeepPage | null> {
  const { snapshot } = context;
  const place = await placeOfDeepPage(context);
  if (place === null) return null;
  const answer = await snapshot.first({ count: true, ...place });
  const linked = answer.kind === 'page' ? (snapshot.linkOf(answer)?.target ?? null) : null;
  return { ...place, answer, linked };
}

/** The answer to the link of that page; null if it has none, or if its link does not lead to the last page. */
export async function pageAfterDeepPage(
  { answer, linked, pageSize, skip }: DeepPage,
  snapshot: Snapshot,
): Promise<ListAnswer | null> {
  if (answer.kind !== 'page' || linked === null) return null;
  const requested = requestedPageOf(answer);
  const after = requested === null ? null : recordsAfter(requested, await listFacts(snapshot));
  if (after === null || after <= 0 || answer.itemCount !== pageSize) return null;
  const parameters = snapshot.linkOf(answer)?.parameters ?? [];
  const expected = { $count: 'true', $pagesize: String(pageSize), $skip: String(skip + pageSize) };
  for (const [name, value] of Object.entries(expected)) {
    const given = parameters.filter((parameter) => parameter.name === name);
    if (given.length !== 1 || given[0]?.value !== value) return null;
  }
  return snapshot.follow(answer);
}
