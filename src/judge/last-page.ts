import type { Json } from '../core/results.ts';
import { IdentitySet } from '../provider/identity-set.ts';
import type { Page } from '../provider/page.ts';
import type { FirstPage, Snapshot } from '../provider/snapshot.ts';
import type { Traversal } from '../provider/traversal.ts';
import type { CheckContext } from './context.ts';
import { requestFollowingPage } from './missing-link.ts';
import { firstMisstep, type Misstep } from './missteps.ts';
import { dividingSizes } from './page-sizes.ts';
import { lastStepWithNewRecords, reachSameRecords, traversalName } from './traversals.ts';
import { Violation } from './violation.ts';

/**
 * Judges the end of a traversal: the page that holds the last record gives no link. That it is the last is proven by a
 * count that agrees, or by all traversals reaching equally many records and the link leading to an empty page.
 */
export async function expectNoLinkAtEnd(
  context: CheckContext,
  snapshot: Snapshot,
  traversal: Traversal,
  traversals: readonly Traversal[],
): Promise<Misstep | null> {
  const last = lastStepWithNewRecords(traversal);
  if (last === null) return null;
  const { page } = last;
  const misstep = firstMisstep(traversal);
  // A wrong link on the last page is one that should not be there at all.
  const earlier =
    misstep !== null &&
    (misstep.step.number < last.number ||
      (misstep.step === last && misstep.requirement.startsWith('page-size/')));
  if (earlier) return misstep;
  if (page.link === undefined) {
    if (traversal.end.kind === 'end') context.exercised();
    return null;
  }
  const next = traversal.steps[last.number]?.page;
  const counted = page.count === last.given && traversal.reached.size === last.given;
  // Where traversals reach different records, a count that agrees with one of them may as well tell of its pages.
  if (!traversals.every((other) => reachSameRecords(traversal, other))) return null;
  const agreed = next?.itemCount === 0 && traversal.reached.size === last.given;
  if (!counted && !agreed) return null;
  // A count that tells less than there is must not make a page the last one.
  const beyond = await requestFollowingPage(snapshot, last);
  if (beyond.kind === 'page' && traversal.reached.lacking(beyond.identities) > 0) return null;
  context.exercised();
  const led =
    next === undefined
      ? ''
      : `, and the link leads to ${next.itemCount === 0 ? 'an empty page' : 'records given before'}`;
  throw needlessLink(page, `the last of ${last.given} records in ${traversalName(traversal)}${led}`, next);
}

/** A last page that is full, asked for by its parameters (4.3.3). */
export interface LastPageRequest extends FirstPage {
  readonly pageSize: number;
  readonly skip: number;
}

/** The pages of the smallest sizes that divide a list of that length; such sizes would take many pages to traverse. */
export function lastPageRequests(total: number): readonly LastPageRequest[] {
  return dividingSizes(total).map((pageSize) => ({ count: true, pageSize, skip: total - pageSize }));
}

/** Judges the last page that a jump leads to, which gives no link either. Whether it could be judged. */
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
  // What the traversal's last page counts, too, is no sign that the data moved.
  if (
    typeof answer.count === 'number' &&
    answer.count !== total &&
    answer.count !== main.steps.at(-1)?.page.count
  )
    return false;
  const tail = lastIdentities(main, size);
  // Only where it is the page that the links end with; that it is, traversal/by-parameters judges.
  if (tail.lacking(answer.identities) > 0) return false;
  context.exercised();
  if (answer.link !== undefined)
    throw needlessLink(answer, `the last ${size} of ${total} records, and ${size} divides ${total}`);
  return true;
}

/** The identities of the last so many records of a traversal. */
function lastIdentities({ steps }: Traversal, many: number): IdentitySet {
  const tail = new IdentitySet(many);
  let left = many;
  for (const { page } of steps.toReversed()) {
    const { identities } = page;
    tail.addAll(identities.subarray(Math.max(0, identities.length - left)));
    left -= identities.length;
    if (left <= 0) break;
  }
  return tail;
}

/** The breach of a page that holds the last record and links on; `holds` says in the sentence what it holds. */
export function needlessLink(page: Page, holds: string, next?: Page): Violation {
  return new Violation({
    key: page.target,
    message: `GET ${page.target} holds ${holds}, and still gives a nextPageLink (${printLink(page.link ?? null)}); the page with the last record gives none`,
    expected: 'no nextPageLink',
    actual: page.link ?? null,
    counterexample: { request: page.target },
    exchanges: [page.exchange, ...(next === undefined ? [] : [next.exchange])],
  });
}

/** A link for a sentence, cut where it is long. */
export function printLink(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 197)}…` : text;
}
