import type { RequirementId } from '../core/requirement-id.ts';
import { Blocked, Undecided } from '../core/undecided.ts';
import type { Parameter } from '../provider/link.ts';
import type { ListAnswer } from '../provider/page.ts';
import type { Step, Walk } from '../provider/traversal.ts';
import type { View } from '../provider/view.ts';
import { MAXIMUM } from './sizes.ts';

/** How a walk is named in sentences. */
export function walkName(walk: Walk): string {
  return walk.pageSize === null ? 'the walk without $pagesize' : `the walk with $pagesize=${walk.pageSize}`;
}

/** The $skip of a link where it stands there once as a whole number; null otherwise. */
export function skipOf(step: Step): number | null {
  const skips = step.link?.parameters.filter(({ name }) => name === '$skip') ?? [];
  const value = skips[0]?.value ?? '';
  return skips.length === 1 && /^-?\d{1,15}$/.test(value) ? Number(value) : null;
}

/** The last step that gave a record no earlier one had given; the first step of an empty list. */
export function lastTelling(walk: Walk): Step | null {
  return walk.steps.findLast((step) => step.fresh > 0) ?? walk.steps[0] ?? null;
}

/** Whether two walks reach the same records. */
export function sameRecords(one: Walk, other: Walk): boolean {
  if (one === other) return true;
  return one.reached.size === other.reached.size && one.reached.beyond(other.reached).length === 0;
}

/** Whether the page has records after it in the walk. */
export function hasMoreAfter(walk: Walk, step: Step): boolean {
  return step.number < (lastTelling(walk)?.number ?? 0);
}

/**
 * The walk that shows that a page is not the last one although no page after it gives a record: it links on, its walk
 * came to its end, and another one reaches records that this one does not. Null where none does.
 */
export function runsDry(walk: Walk, step: Step, walks: readonly Walk[]): Walk | null {
  if (step.link === null || walk.end.kind !== 'end' || !walk.identified) return null;
  const fullest = fullestOf(walks.filter(({ identified }) => identified));
  return fullest === null || fullest.reached.beyond(walk.reached).length === 0 ? null : fullest;
}

/** What goes wrong first in a walk: the step, the requirement it breaks, and how. */
export interface Misstep {
  readonly step: Step;
  readonly requirement: RequirementId;
  readonly sentence: string;
}

/** What follows from a misstep. */
export function causedBy({ requirement, sentence }: Misstep): Blocked {
  return new Blocked(requirement, sentence);
}

/**
 * The first step whose page size is wrong, or whose link carries a wrong query or offset: what the walk shows after
 * it only follows. Null where every page is of the size in force and every link leads to where the page ends.
 */
export function firstMisstep(walk: Walk): Misstep | null {
  const known = MISSTEPS.get(walk);
  if (known !== undefined) return known;
  const misstep = findMisstep(walk);
  MISSTEPS.set(walk, misstep);
  return misstep;
}

/** What is known of walks already: nearly every check asks, and a walk is over when it is there. */
const MISSTEPS = new WeakMap<Walk, Misstep | null>();

function findMisstep(walk: Walk): Misstep | null {
  for (const step of walk.steps) {
    const { itemCount } = step.page;
    const where = `page ${step.number} of ${walkName(walk)}`;
    const first = step.number === 1 && walk.pageSize === null;
    if (itemCount > step.sizeInForce) {
      return {
        step,
        requirement: first ? 'page-size/default' : 'page-size/limit',
        sentence: `${where} holds ${itemCount} records`,
      };
    }
    if (itemCount < step.sizeInForce && hasMoreAfter(walk, step) && !first) {
      return {
        step,
        requirement: 'page-size/filled',
        sentence: `${where} holds ${itemCount} records although more follow`,
      };
    }
    if (step.link === null) continue;
    const query = wrongQuery(walk, step);
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

/** The first link of a walk whose query is wrong, whatever its pages hold; null where none is. */
export function linkAstray(walk: Walk): Misstep | null {
  for (const step of walk.steps) {
    const misstep = wrongQuery(walk, step);
    if (misstep !== null) return misstep;
  }
  return null;
}

/** What is wrong with the query of a step's link; null where it is right, or there is none. */
export function wrongQuery(walk: Walk, step: Step): Misstep | null {
  const fault = step.link === null ? null : queryFault(step.link.parameters, walk.pageSize ?? MAXIMUM);
  // A page size that is not the one in force may be that of the page: that is told of the page, not of its link.
  if (fault === null || (fault.name === '$pagesize' && fault.actual === String(step.page.itemCount)))
    return null;
  const where = `page ${step.number} of ${walkName(walk)}`;
  return { step, requirement: 'link/query', sentence: `the link on ${where} is wrong: ${fault.what}` };
}

/** The steps up to the first misstep, the one that goes wrong included. */
export function soundSteps(walk: Walk): readonly Step[] {
  const misstep = firstMisstep(walk);
  return misstep === null ? walk.steps : walk.steps.slice(0, misstep.step.number);
}

/** The steps up to the first link whose query is wrong, with that one: those behind it were asked for otherwise. */
export function stepsAskedRight(walk: Walk): readonly Step[] {
  const astray = linkAstray(walk);
  return astray === null ? walk.steps : walk.steps.slice(0, astray.step.number);
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
    const values = parameters.filter((parameter) => parameter.name === name).map(({ value }) => value);
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
    if (name === '$pagesize' && size !== null && !(/^\d+$/.test(value) && Number(value) === size)) {
      return fault(`its $pagesize is ${value} instead of the page size in force`, value);
    }
  }
  return null;
}

/** Why a walk did not reach the list's end, as what it follows from; null where it ended as it should. */
export function cutShort(walk: Walk): Undecided | null {
  const where = `${walkName(walk)} stopped at page ${walk.steps.length}`;
  switch (walk.end.kind) {
    case 'end':
      return null;
    case 'paused':
      return new Undecided({ kind: 'limit', limit: 'pages of a short traversal' }, where);
    case 'limit':
      return new Undecided({ kind: 'limit', limit: walk.end.limit }, walk.end.why);
    case 'unusable':
      return new Blocked('link/relative', `${where}: its link cannot be followed, ${walk.end.why}`);
    case 'circle':
    case 'runaway':
      return new Blocked('traversal/terminates', `${where}: its links never end`);
    case 'broken':
      if (walk.end.answer.kind === 'no-envelope')
        return new Blocked('list/envelope', `${where}: ${walk.end.answer.why}`);
      return walk.steps.length === 0
        ? new Blocked('authorization/accepted', `the list call was refused: ${walk.end.answer.why}`)
        : new Blocked('traversal/followable', `${where}: ${walk.end.answer.why}`);
  }
}

/**
 * Why a walk cannot stand for the whole list: it was cut short, an offset or a page size is wrong, or it ended
 * without a link although records follow. Null where it can.
 *
 * @param walks all that were made: whatever count says, a walk that reached less than another did not give everything
 */
export async function notWhole(
  view: View,
  walk: Walk,
  walks: readonly Walk[] = [],
): Promise<Undecided | null> {
  const cut = cutShort(walk);
  if (cut !== null && !endsPastTheLast(walk)) return cut;
  if (!walk.identified) return new Blocked('list/items', 'items have no identifier to tell them apart');
  const misstep = firstMisstep(walk);
  if (misstep !== null && misstep.requirement !== 'page-size/filled' && !isPastTheRecords(walk, misstep))
    return causedBy(misstep);
  const astray = misstep === null ? null : linkAstray(walk);
  if (astray !== null) return causedBy(astray);
  const missing = await missingLink(view, walk, { walks });
  return missing === null ? null : new Blocked('link/present-when-more', missing.sentence);
}

/** Whether a misstep hides no records: the walk came to its end, and had given its last record on a short page or before. */
function isPastTheRecords(walk: Walk, { step }: Misstep): boolean {
  const last = lastTelling(walk);
  if (last === null || walk.end.kind !== 'end') return false;
  return step.number > last.number || (step === last && step.page.itemCount < step.sizeInForce);
}

/** Why one of the walks cannot stand for the whole list; null where all of them can. */
export async function firstObstacle(view: View, walks: readonly Walk[]): Promise<Undecided | null> {
  for (const walk of walks) {
    const obstacle = await notWhole(view, walk, walks);
    if (obstacle !== null) return obstacle;
  }
  return null;
}

/** What already stands in the way of judging a list at all, from what a look has been told; null where nothing does. */
export async function obstacleIn(view: View): Promise<Undecided | null> {
  const walk = await view.walked(null)?.catch(() => null);
  if (walk == null) return null;
  return (await notWhole(view, walk)) ?? (await doubtful(view, walk));
}

/**
 * Why it is not known whether a walk reached the list's end: its last page is full, gives no link and counts more than
 * were given, and nothing shows whether there are more. Null where it is known.
 */
export async function doubtful(view: View, walk: Walk): Promise<Blocked | null> {
  const last = walk.steps.at(-1);
  if (walk.end.kind !== 'end' || last === undefined) return null;
  const { count, itemCount } = last.page;
  if (typeof count !== 'number' || count <= last.given || itemCount < last.sizeInForce) return null;
  const next = await followingByParameters(view, last);
  if (next.kind === 'page' && next.itemCount === 0) return null;
  return new Blocked(
    'link/present-when-more',
    `${walkName(walk)} ends after ${last.given} of ${count} records`,
  );
}

/** The page that would follow the last one given, asked for by its parameters (4.3.3). */
export function followingByParameters(
  view: View,
  { sizeInForce, given }: Pick<Step, 'sizeInForce' | 'given'>,
): Promise<ListAnswer> {
  return view.first({ count: true, pageSize: sizeInForce, skip: given });
}

/** Whether a walk gave every counted record before its links went astray. */
function endsPastTheLast(walk: Walk): boolean {
  const last = lastTelling(walk);
  const count = last?.page.count;
  return (
    last !== null &&
    typeof count === 'number' &&
    last.given >= count &&
    (walk.end.kind === 'circle' || walk.end.kind === 'runaway')
  );
}

/**
 * Proof that a walk which ended without a link left records behind: the page that follows, asked by parameters, or,
 * where a client's own $skip leads nowhere new, what another walk has reached.
 *
 * @param walks others that were made; the main one where left out
 * @param known how many records the list is known to hold; as many as the fullest of these reached where left out
 */
export async function missingLink(
  view: View,
  walk: Walk,
  { walks = [], known = null }: { readonly walks?: readonly Walk[]; readonly known?: number | null } = {},
): Promise<{ readonly sentence: string; readonly exchanges: readonly number[] } | null> {
  const last = walk.steps.at(-1);
  if (walk.end.kind !== 'end' || last === undefined || last.given === 0 || firstMisstep(walk) !== null)
    return null;
  const { count, itemCount } = last.page;
  const counted = typeof count === 'number' ? count > last.given : null;
  const fullest = fullestOf(walks) ?? (await view.walk(null));
  // Whatever count says: where another walk reached more, this one did not give everything.
  if (!(counted ?? itemCount >= last.sizeInForce) && (known ?? fullest.reached.size) <= last.given)
    return null;
  const answer = await followingByParameters(view, last);
  const where = `page ${last.number} of ${walkName(walk)} gives no nextPageLink after ${last.given}`;
  const unseen = answer.kind === 'page' ? walk.reached.lacking(answer.identities) : 0;
  if (unseen > 0)
    return {
      sentence: `${where} records, yet $skip=${last.given} gives ${unseen} more`,
      exchanges: [last.page.exchange, answer.exchange],
    };
  const holder = fullest.steps.find(({ page }) => walk.reached.lacking(page.identities) > 0);
  // A full page that counts more than were given says itself that it is not the last.
  if (counted !== true || itemCount < last.sizeInForce || holder === undefined) return null;
  return {
    sentence: `${where} of ${count} records, and ${walkName(fullest)} reaches ${fullest.reached.beyond(walk.reached).length} more`,
    exchanges: [last.page.exchange, holder.page.exchange],
  };
}

function fullestOf(walks: readonly Walk[]): Walk | null {
  return walks.reduce<Walk | null>(
    (most, walk) => (most === null || walk.reached.size > most.reached.size ? walk : most),
    null,
  );
}
