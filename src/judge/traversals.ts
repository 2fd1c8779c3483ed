import type { RequirementId } from '../core/requirement-id.ts';
import { Blocked, Undecided } from '../core/undecided.ts';
import { type Parameter, valuesOf, wholeNumber, wholeNumberIn } from '../provider/link.ts';
import type { ListAnswer } from '../provider/page.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Step, Traversal } from '../provider/traversal.ts';
import { MAX_PAGE_SIZE } from './page-sizes.ts';

/** How a traversal is named in sentences. */
export function traversalName(traversal: Traversal): string {
  return traversal.pageSize === null
    ? 'the traversal without $pagesize'
    : `the traversal with $pagesize=${traversal.pageSize}`;
}

/** The $skip of a step's link if it is one whole number; null otherwise. */
export function skipOf(step: Step): number | null {
  return step.link === null ? null : wholeNumberIn(step.link.parameters, '$skip');
}

/** The last step that gave a record no earlier one had given; the first step of an empty list. */
export function lastStepWithNewRecords(traversal: Traversal): Step | null {
  return traversal.steps.findLast((step) => step.fresh > 0) ?? traversal.steps[0] ?? null;
}

/** Whether two traversals reach the same records. */
export function reachSameRecords(one: Traversal, other: Traversal): boolean {
  if (one === other) return true;
  return one.reached.size === other.reached.size && one.reached.beyond(other.reached).length === 0;
}

/** Whether the page has records after it in the traversal. */
export function hasMoreAfter(traversal: Traversal, step: Step): boolean {
  return step.number < (lastStepWithNewRecords(traversal)?.number ?? 0);
}

/**
 * The traversal that shows that a page is not the last one although no page after it gives a record: it links on, its traversal
 * came to its end, and another one reaches records that this one does not. Null where none does.
 */
export function findFullerTraversal(
  traversal: Traversal,
  step: Step,
  traversals: readonly Traversal[],
): Traversal | null {
  if (step.link === null || traversal.end.kind !== 'end' || !traversal.identified) return null;
  const fullest = fullestOf(traversals.filter(({ identified }) => identified));
  return fullest === null || fullest.reached.beyond(traversal.reached).length === 0 ? null : fullest;
}

/** What goes wrong first in a traversal: the step, the requirement it breaks, and how. */
export interface Misstep {
  readonly step: Step;
  readonly requirement: RequirementId;
  readonly sentence: string;
}

/** What follows from a misstep. */
export function blockedByMisstep({ requirement, sentence }: Misstep): Blocked {
  return new Blocked(requirement, sentence);
}

/**
 * The first step whose page size is wrong, or whose link carries a wrong query or offset: what the traversal shows after
 * it only follows. Null where every page is of the size in force and every link leads to where the page ends.
 */
export function firstMisstep(traversal: Traversal): Misstep | null {
  return traversal.memo.once(findMisstep, traversal);
}

function findMisstep(traversal: Traversal): Misstep | null {
  for (const step of traversal.steps) {
    const { itemCount } = step.page;
    const where = `page ${step.number} of ${traversalName(traversal)}`;
    const first = step.number === 1 && traversal.pageSize === null;
    if (itemCount > step.sizeInForce) {
      return {
        step,
        requirement: first ? 'page-size/default' : 'page-size/limit',
        sentence: `${where} holds ${itemCount} records`,
      };
    }
    if (itemCount < step.sizeInForce && hasMoreAfter(traversal, step) && !first) {
      return {
        step,
        requirement: 'page-size/filled',
        sentence: `${where} holds ${itemCount} records although more follow`,
      };
    }
    if (step.link === null) continue;
    const query = wrongQuery(traversal, step);
    if (query !== null) return query;
    const skip = skipOf(step);
    if (skip !== step.given) {
      return {
        step,
        requirement: 'link/offset',
        sentence: `the link on ${where} says $skip=${skip} after ${step.given} records`,
      };
    }
  }
  return null;
}

/** The first link of a traversal whose query is wrong, whatever its pages hold; null where none is. */
export function firstWrongQuery(traversal: Traversal): Misstep | null {
  for (const step of traversal.steps) {
    const misstep = wrongQuery(traversal, step);
    if (misstep !== null) return misstep;
  }
  return null;
}

/** What is wrong with the query of a step's link; null where it is right, or there is none. */
export function wrongQuery(traversal: Traversal, step: Step): Misstep | null {
  const fault =
    step.link === null ? null : queryFault(step.link.parameters, traversal.pageSize ?? MAX_PAGE_SIZE);
  // A page size that is not the one in force may be that of the page: that is reported of the page, not of its link.
  if (fault === null || (fault.name === '$pagesize' && fault.actual === String(step.page.itemCount)))
    return null;
  const where = `page ${step.number} of ${traversalName(traversal)}`;
  return { step, requirement: 'link/query', sentence: `the link on ${where} is wrong: ${fault.what}` };
}

/** The steps up to the first misstep, the one that goes wrong included. */
export function soundSteps(traversal: Traversal): readonly Step[] {
  const misstep = firstMisstep(traversal);
  return misstep === null ? traversal.steps : traversal.steps.slice(0, misstep.step.number);
}

/** The steps up to the first link whose query is wrong, with that one: those behind it were asked for otherwise. */
export function stepsWithRightQuery(traversal: Traversal): readonly Step[] {
  const astray = firstWrongQuery(traversal);
  return astray === null ? traversal.steps : traversal.steps.slice(0, astray.step.number);
}

/** What is wrong with the query of a link. */
export interface QueryFault {
  readonly name: string;
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
}

/** Whether a link's query carries `$count=true`, `$pagesize` with that size (null: any) and `$skip`, each once (2.3). */
export function queryFault(parameters: readonly Parameter[], size: number | null): QueryFault | null {
  for (const [name, expected] of [
    ['$count', 'true'],
    ['$pagesize', size === null ? null : String(size)],
    ['$skip', null],
  ] as const) {
    const values = valuesOf(parameters, name);
    const fault = (what: string, actual: string): QueryFault => ({
      name,
      what,
      expected: `${name}${expected === null ? '' : `=${expected}`} once`,
      actual,
    });
    if (values.length === 0) return fault(`it carries no ${name}`, 'none');
    if (values.length > 1) return fault(`it carries ${name} ${values.length} times`, values.join(', '));
    const value = values[0] ?? '';
    if (name === '$count' && value.toLowerCase() !== 'true')
      return fault(`its $count is ${value} instead of true`, value);
    if (name === '$pagesize' && size !== null && wholeNumber(value) !== size) {
      return fault(`its $pagesize is ${value} instead of the page size in force`, value);
    }
  }
  return null;
}

/** Why a traversal did not reach the list's end, as what it follows from; null where it ended as it should. */
export function causeOfEarlyStop(traversal: Traversal): Undecided | null {
  const where = `${traversalName(traversal)} stopped at page ${traversal.steps.length}`;
  switch (traversal.end.kind) {
    case 'end':
      return null;
    case 'paused':
      return new Undecided({ kind: 'limit', limit: 'pages of a short traversal' }, where);
    case 'limit':
      return new Undecided({ kind: 'limit', limit: traversal.end.limit }, traversal.end.why);
    case 'unusable':
      return new Blocked('link/relative', `${where}: its link cannot be followed, ${traversal.end.why}`);
    case 'circle':
    case 'runaway':
      return new Blocked('traversal/terminates', `${where}: its links never end`);
    case 'broken':
      if (traversal.end.answer.kind === 'no-envelope')
        return new Blocked('list/envelope', `${where}: ${traversal.end.answer.why}`);
      return traversal.steps.length === 0
        ? new Blocked('authorization/accepted', `the list call was refused: ${traversal.end.answer.why}`)
        : new Blocked('traversal/followable', `${where}: ${traversal.end.answer.why}`);
  }
}

/**
 * Why a traversal cannot stand for the whole list: it was cut short, an offset or a page size is wrong, or it ended
 * without a link although records follow. Null where it can.
 *
 * @param traversals all that were made: whatever count says, a traversal that reached less than another did not give everything
 */
export async function causeOfIncompleteness(
  snapshot: Snapshot,
  traversal: Traversal,
  traversals: readonly Traversal[] = [],
): Promise<Undecided | null> {
  const cut = causeOfEarlyStop(traversal);
  if (cut !== null && !endsPastTheLast(traversal)) return cut;
  if (!traversal.identified) return new Blocked('list/items', 'items have no identifier to tell them apart');
  const misstep = firstMisstep(traversal);
  if (misstep !== null && misstep.requirement !== 'page-size/filled' && !isPastTheRecords(traversal, misstep))
    return blockedByMisstep(misstep);
  const astray = misstep === null ? null : firstWrongQuery(traversal);
  if (astray !== null) return blockedByMisstep(astray);
  const missing = await findMissingLink(snapshot, traversal, { traversals });
  return missing === null ? null : new Blocked('link/present-when-more', missing.sentence);
}

/** Whether a misstep hides no records: the traversal came to its end, and had given its last record on a short page or before. */
function isPastTheRecords(traversal: Traversal, { step }: Misstep): boolean {
  const last = lastStepWithNewRecords(traversal);
  if (last === null || traversal.end.kind !== 'end') return false;
  return step.number > last.number || (step === last && step.page.itemCount < step.sizeInForce);
}

/** Why one of the traversals cannot stand for the whole list; null where all of them can. */
export async function firstObstacle(
  snapshot: Snapshot,
  traversals: readonly Traversal[],
): Promise<Undecided | null> {
  for (const traversal of traversals) {
    const obstacle = await causeOfIncompleteness(snapshot, traversal, traversals);
    if (obstacle !== null) return obstacle;
  }
  return null;
}

/** What already stands in the way of judging a list at all, from what a snapshot has been told; null where nothing does. */
export async function knownObstacle(snapshot: Snapshot): Promise<Undecided | null> {
  const traversal = await snapshot.startedTraversal(null)?.catch(() => null);
  if (traversal == null) return null;
  return (
    (await causeOfIncompleteness(snapshot, traversal)) ?? (await causeOfDoubtfulEnd(snapshot, traversal))
  );
}

/**
 * Why it is not known whether a traversal reached the list's end: its last page is full, gives no link and counts more than
 * were given, and nothing shows whether there are more. Null where it is known.
 */
export async function causeOfDoubtfulEnd(snapshot: Snapshot, traversal: Traversal): Promise<Blocked | null> {
  const last = traversal.steps.at(-1);
  if (traversal.end.kind !== 'end' || last === undefined) return null;
  const { count, itemCount } = last.page;
  if (typeof count !== 'number' || count <= last.given || itemCount < last.sizeInForce) return null;
  const next = await requestFollowingPage(snapshot, last);
  if (next.kind === 'page' && next.itemCount === 0) return null;
  return new Blocked(
    'link/present-when-more',
    `${traversalName(traversal)} ends after ${last.given} of ${count} records`,
  );
}

/** The page that would follow the last one given, asked for by its parameters (4.3.3). */
export function requestFollowingPage(
  snapshot: Snapshot,
  { sizeInForce, given }: Pick<Step, 'sizeInForce' | 'given'>,
): Promise<ListAnswer> {
  return snapshot.first({ count: true, pageSize: sizeInForce, skip: given });
}

/** Whether a traversal gave every counted record before its links went astray. */
function endsPastTheLast(traversal: Traversal): boolean {
  const last = lastStepWithNewRecords(traversal);
  const count = last?.page.count;
  return (
    last !== null &&
    typeof count === 'number' &&
    last.given >= count &&
    (traversal.end.kind === 'circle' || traversal.end.kind === 'runaway')
  );
}

/**
 * Proof that a traversal which ended without a link left records behind: the page that follows, asked by parameters, or,
 * where a client's own $skip leads nowhere new, what another traversal has reached.
 *
 * @param traversals others that were made; the main one where left out
 * @param known how many records the list is known to hold; as many as the fullest of these reached where left out
 */
export async function findMissingLink(
  snapshot: Snapshot,
  traversal: Traversal,
  {
    traversals = [],
    known = null,
  }: { readonly traversals?: readonly Traversal[]; readonly known?: number | null } = {},
): Promise<{ readonly sentence: string; readonly exchanges: readonly number[] } | null> {
  const last = traversal.steps.at(-1);
  if (
    traversal.end.kind !== 'end' ||
    last === undefined ||
    last.given === 0 ||
    firstMisstep(traversal) !== null
  )
    return null;
  const { count, itemCount } = last.page;
  const counted = typeof count === 'number' ? count > last.given : null;
  const fullest = fullestOf(traversals) ?? (await snapshot.traversal(null));
  // Whatever count says: where another traversal reached more, this one did not give everything.
  if (!(counted ?? itemCount >= last.sizeInForce) && (known ?? fullest.reached.size) <= last.given)
    return null;
  const answer = await requestFollowingPage(snapshot, last);
  const where = `page ${last.number} of ${traversalName(traversal)} gives no nextPageLink after ${last.given}`;
  const unseen = answer.kind === 'page' ? traversal.reached.lacking(answer.identities) : 0;
  if (unseen > 0)
    return {
      sentence: `${where} records, yet $skip=${last.given} gives ${unseen} more`,
      exchanges: [last.page.exchange, answer.exchange],
    };
  const holder = fullest.steps.find(({ page }) => traversal.reached.lacking(page.identities) > 0);
  // A full page that counts more than were given says itself that it is not the last.
  if (counted !== true || itemCount < last.sizeInForce || holder === undefined) return null;
  return {
    sentence: `${where} of ${count} records, and ${traversalName(fullest)} reaches ${fullest.reached.beyond(traversal.reached).length} more`,
    exchanges: [last.page.exchange, holder.page.exchange],
  };
}

function fullestOf(traversals: readonly Traversal[]): Traversal | null {
  return traversals.reduce<Traversal | null>(
    (most, traversal) => (most === null || traversal.reached.size > most.reached.size ? traversal : most),
    null,
  );
}
