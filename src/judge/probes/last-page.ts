import type { Json } from '../../core/results.ts';
import { IdentitySet } from '../../provider/identity.ts';
import { type Page, sameAnswer } from '../../provider/page.ts';
import { connectionFor, type FirstPage, type Snapshot } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import type { CheckContext } from '../context.ts';
import { requestFollowingPage } from '../proofs/traversal-completeness.ts';
import {
  findFirstFault,
  lastStepWithNewRecords,
  reachSameRecords,
  type TraversalFault,
  traversalName,
} from '../traversals.ts';
import { type Violation, violationOn } from '../violation.ts';
import { dividingSizes } from './page-sizes.ts';

/**
 * Judges the end of a traversal: the page with the last record gives no link. It is the last page if count
 * proves it, or if all traversals reach the same records and the link leads to an empty page.
 */
export async function expectNoLinkAtEnd(
  context: CheckContext,
  snapshot: Snapshot,
  traversal: Traversal,
  traversals: readonly Traversal[],
): Promise<TraversalFault | null> {
  const last = lastStepWithNewRecords(traversal);
  if (last === null) return null;
  const { page } = last;
  const fault = findFirstFault(traversal);
  // On the last page any link is wrong, not only its query.
  const earlier =
    fault !== null &&
    (fault.step.number < last.number || (fault.step === last && fault.requirement.startsWith('page-size/')));
  if (earlier) return fault;
  if (page.link === undefined) {
    if (traversal.end.kind === 'end') context.exercised();
    return null;
  }
  const next = traversal.steps[last.number]?.page;
  const counted = page.count === last.recordsSoFar && traversal.reached.size === last.recordsSoFar;
  // If traversals reach different records, a count that equals the records of one of them proves nothing.
  if (!traversals.every((other) => reachSameRecords(traversal, other))) return null;
  const agreed = next?.itemCount === 0 && traversal.reached.size === last.recordsSoFar;
  if (!counted && !agreed) return null;
  // A count that is too low must not make a page the last one.
  const beyond = await requestFollowingPage(snapshot, last);
  if (beyond.kind === 'page' && traversal.reached.countMissing(beyond.identities) > 0) return null;
  context.exercised();
  throw needlessLink(page, `the last of ${last.recordsSoFar} records in ${traversalName(traversal)}`, next);
}

/** A request for a full last page by its parameters (4.3.3). */
export interface LastPageRequest extends FirstPage {
  readonly pageSize: number;
  readonly skip: number;
}

/** The last pages with the smallest sizes that divide the list; traversals with such sizes would take many pages. */
export function lastPageRequests(total: number): readonly LastPageRequest[] {
  return dividingSizes(total).map((pageSize) => ({ count: true, pageSize, skip: total - pageSize }));
}

/** Judges such a page, which gives no link either. False if it could not be judged. */
export async function expectNoLinkOnLastPage(
  context: CheckContext,
  snapshot: Snapshot,
  main: Traversal,
  jump: LastPageRequest,
): Promise<boolean> {
  const { pageSize: size } = jump;
  const total = main.reached.size;
  const answer = await snapshot.first(jump);
  if (answer.kind !== 'page' || answer.itemCount !== size) return false;
  // The same count on the last page of the traversal does not mean that the data changed.
  if (
    typeof answer.count === 'number' &&
    answer.count !== total &&
    answer.count !== main.steps.at(-1)?.page.count
  )
    return false;
  const tail = lastIdentities(main, size);
  // Only if it is the last page of the traversal; traversal/by-parameters judges whether it is.
  if (tail.countMissing(answer.identities) > 0) return false;
  context.exercised();
  if (answer.link !== undefined)
    throw needlessLink(answer, `the last ${size} of ${total} records (${size} divides ${total})`);
  return true;
}

/** Requests the last page of a traversal a second time, which caches and counters may answer in another way; not in smoke. */
export async function expectNoLinkWhenRepeated(
  context: CheckContext,
  { client }: Snapshot,
  traversal: Traversal,
): Promise<void> {
  const last = traversal.steps.at(-1)?.page;
  if (last === undefined || context.options.suite === 'smoke') return;
  const again = await client.authorized(last.target, {
    after: last.exchange,
    connection: connectionFor(last.target),
  });
  if (again.kind === 'page' && sameAnswer(again, last) && again.link !== undefined)
    throw needlessLink(again, `the last of ${traversal.reached.size} records when it is requested again`);
}

/** The identities of the last records of a traversal. */
function lastIdentities({ steps }: Traversal, length: number): IdentitySet {
  const tail = new IdentitySet(length);
  let left = length;
  for (const { page } of steps.toReversed()) {
    const { identities } = page;
    tail.addAll(identities.subarray(Math.max(0, identities.length - left)));
    left -= identities.length;
    if (left <= 0) break;
  }
  return tail;
}

/** The breach of a page with the last record and a link.
 *
 * @param records what the page holds, as part of a sentence
 * @param next the page to which the link leads, if it was followed
 */
export function needlessLink(page: Page, records: string, next?: Page): Violation {
  const where = next?.itemCount === 0 ? 'an empty page' : 'records of earlier pages';
  const led = next === undefined ? '' : `, which leads to ${where}`;
  return violationOn(page, {
    message:
      `GET ${page.target} holds ${records} and gives a nextPageLink ` +
      `(${printLink(page.link ?? null)})${led}; the page with the last record gives none`,
    expected: 'no nextPageLink',
    actual: page.link ?? null,
    further: next === undefined ? [] : [next.exchange],
  });
}

/** A link as part of a sentence, cut after 200 characters. */
export function printLink(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 197)}…` : text;
}
