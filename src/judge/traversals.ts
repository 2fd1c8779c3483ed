import { recordCount } from '../core/number-format.ts';
import { MAX_PAGE_SIZE } from '../core/page-size.ts';
import type { RequirementId } from '../core/requirement-id.ts';
import type { Json } from '../core/results.ts';
import { Blocked } from '../core/undecided.ts';
import type { Identities } from '../provider/identity.ts';
import { type Parameter, valuesOf, wholeNumber, wholeNumberIn } from '../provider/link.ts';
import { countsMoreThanGiven } from '../provider/page.ts';
import type { Step, Traversal } from '../provider/traversal.ts';
import { givenPlace } from './given-place.ts';

export function traversalName(traversal: Traversal): string {
  return traversal.pageSize === null
    ? 'the traversal without $pagesize'
    : `the traversal with $pagesize=${traversal.pageSize}`;
}

/** The $skip of a step's link if it is one whole number; null otherwise. */
export function skipOf(step: Step): number | null {
  return step.link === null ? null : wholeNumberIn(step.link.parameters, '$skip');
}

/** How many records a traversal gave before the page of a step. */
export function recordsBefore({ page, recordsSoFar }: Pick<Step, 'page' | 'recordsSoFar'>): number {
  return recordsSoFar - page.itemCount;
}

/** The last step with a record that no earlier step gave; the first step of an empty list. */
export function lastStepWithNewRecords(traversal: Traversal): Step | null {
  return traversal.steps.findLast((step) => step.fresh > 0) ?? traversal.steps[0] ?? null;
}

/** The identities of so many records of a traversal from an offset on, in its order; fewer at its end. */
export function recordsAt({ steps }: Traversal, skip: number, number: number): Identities {
  const records = new BigUint64Array(number);
  let length = 0;
  for (const step of steps) {
    const start = recordsBefore(step);
    if (start >= skip + number) break;
    if (step.recordsSoFar <= skip) continue;
    const given = step.page.identities.subarray(Math.max(0, skip - start), skip + number - start);
    records.set(given, length);
    length += given.length;
  }
  return records.subarray(0, length);
}

export function orderOf({ steps }: Traversal): readonly bigint[] {
  return steps.flatMap(({ page }) => [...page.identities]);
}

/** Whether the first page holds no record although its count says that there are some. */
export function startsEmpty({ steps: [first] }: Traversal): boolean {
  return first !== undefined && first.page.itemCount === 0 && countsMoreThanGiven(first.page);
}

export function reachSameRecords(one: Traversal, other: Traversal): boolean {
  if (one === other) return true;
  return one.reached.size === other.reached.size && one.reached.beyond(other.reached).length === 0;
}

/** Whether the page has records after it in the traversal. */
export function hasMoreAfter(traversal: Traversal, step: Step): boolean {
  return step.number < (lastStepWithNewRecords(traversal)?.number ?? 0);
}

/**
 * Another traversal that shows that a page is not the last one, although no page after it gives a record.
 *
 * - The page has a link, or is empty although its count says that more than a page follows.
 * - Its traversal reached its end, or requested no more pages.
 * - The other traversal reaches further records.
 *
 * Null if one of these does not hold.
 */
export function findFullerTraversal(
  traversal: Traversal,
  step: Step,
  traversals: readonly Traversal[],
): Traversal | null {
  const isComplete = traversal.end.kind === 'end' || traversal.end.kind === 'paused';
  const { count, itemCount } = step.page;
  const isLast =
    step.link === null &&
    (itemCount > 0 || typeof count !== 'number' || count <= step.recordsSoFar + step.sizeInForce);
  if (isLast || !isComplete || !traversal.isIdentified) return null;
  const fullest = fullestOf(traversals.filter(({ isIdentified }) => isIdentified));
  return fullest === null || fullest.reached.beyond(traversal.reached).length === 0 ? null : fullest;
}

/** The traversal that reaches the most records; null if there is none. */
export function fullestOf(traversals: readonly Traversal[]): Traversal | null {
  return traversals.reduce<Traversal | null>(
    (most, traversal) => (most === null || traversal.reached.size > most.reached.size ? traversal : most),
    null,
  );
}

/** The first fault of a traversal: the requirement that it breaks, how, and the step at which it does. */
export class TraversalFault extends Blocked {
  readonly step: Step;

  constructor(step: Step, requirement: RequirementId, sentence: string) {
    super(requirement, sentence);
    this.step = step;
  }
}

/**
 * The first step with a wrong page size, or whose link has a wrong query or offset. Later faults are consequences of
 * it. Such a link of the last page breaks link/absent-at-the-end. Null if every page has the size in force and every link
 * continues where its page ends.
 */
export function findFirstFault(traversal: Traversal): TraversalFault | null {
  return traversal.memo.once(searchFirstFault, traversal);
}

function searchFirstFault(traversal: Traversal): TraversalFault | null {
  for (const step of traversal.steps) {
    const { itemCount } = step.page;
    const where = `page ${step.number} of ${traversalName(traversal)}`;
    const first = step.number === 1 && traversal.pageSize === null;
    if (itemCount > step.sizeInForce) {
      const broken = first ? 'page-size/default' : 'page-size/limit';
      return new TraversalFault(step, broken, `${where} holds ${recordCount(itemCount)}`);
    }
    if (itemCount < step.sizeInForce && hasMoreAfter(traversal, step) && !first) {
      const sentence = `${where} holds ${recordCount(itemCount)} although more follow`;
      return new TraversalFault(step, 'page-size/filled', sentence);
    }
    if (step.link === null) continue;
    const query = wrongQuery(traversal, step);
    const skip = skipOf(step);
    if ((query !== null || skip !== step.recordsSoFar) && holdsLastRecord(traversal, step)) {
      const sentence = `${where} holds the last of ${recordCount(step.recordsSoFar)} and gives a nextPageLink`;
      return new TraversalFault(step, 'link/absent-at-the-end', sentence);
    }
    if (query !== null) return query;
    if (skip !== step.recordsSoFar) {
      const pages = traversal.steps.map(({ page }) => page);
      const place = { skip: recordsBefore(step), size: step.sizeInForce };
      const given = givenPlace(step.page, place, pages);
      if (given !== null)
        return new TraversalFault(
          step,
          'traversal/by-parameters',
          `${where} gives records ${given.skip + 1} to ${given.skip + itemCount}`,
        );
      const sentence = `the link on ${where} has $skip=${skip} after ${recordCount(step.recordsSoFar)}`;
      return new TraversalFault(step, 'link/offset', sentence);
    }
  }
  return null;
}

/** Whether a page holds the last record, as its count says too. */
function holdsLastRecord(traversal: Traversal, step: Step): boolean {
  const { recordsSoFar, page } = step;
  return (
    page.count === recordsSoFar &&
    traversal.reached.size === recordsSoFar &&
    step === lastStepWithNewRecords(traversal)
  );
}

/** The first link of a traversal with a wrong query, no matter what its pages hold; null if there is none. */
export function firstWrongQuery(traversal: Traversal): TraversalFault | null {
  for (const step of traversal.steps) {
    const fault = wrongQuery(traversal, step);
    if (fault !== null) return fault;
  }
  return null;
}

/** What is wrong with the query of a step's link; null if it is correct, or if there is no link. */
export function wrongQuery(traversal: Traversal, step: Step): TraversalFault | null {
  if (step.link === null) return null;
  const faults = queryFaults(step.link.parameters, traversal.pageSize ?? MAX_PAGE_SIZE).filter(
    // If the link's page size is that of the page, the page is wrong, not its link.
    ({ name, actual }) => name !== '$pagesize' || actual !== String(step.page.itemCount),
  );
  if (faults.length === 0) return null;
  const where = `page ${step.number} of ${traversalName(traversal)}`;
  return new TraversalFault(step, 'link/query', `the link on ${where} is wrong: ${sentenceOf(faults)}`);
}

/** The steps up to a fault, including it; all of them without a fault. */
export function stepsUpTo(fault: TraversalFault | null, { steps }: Traversal): readonly Step[] {
  return fault === null ? steps : steps.slice(0, fault.step.number);
}

/** What is wrong with the query of a link. */
export interface QueryFault {
  readonly name: string;
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * The faults of a link's query (2.3), which must carry `$count=true`, `$pagesize` and `$skip`, each once. The most
 * serious one comes first: without `$skip` the list starts again, without `$count` no further links follow, without
 * `$pagesize` the pages have another size.
 *
 * @param size the expected `$pagesize`; null for any
 */
export function queryFaults(parameters: readonly Parameter[], size: number | null): readonly QueryFault[] {
  return ['$skip', '$count', '$pagesize'].flatMap((name) => {
    const expected = name === '$count' ? 'true' : name === '$pagesize' && size !== null ? String(size) : null;
    const values = valuesOf(parameters, name);
    const fault = (what: string, actual: string): QueryFault => ({
      name,
      what,
      expected: `${name}${expected === null ? '' : `=${expected}`} once`,
      actual,
    });
    const [value = ''] = values;
    if (values.length === 0) return fault(`it has no ${name}`, 'none');
    if (values.length > 1) return fault(`it has ${name} ${values.length} times`, values.join(', '));
    if (name === '$count' && value.toLowerCase() !== 'true')
      return fault(`its $count is ${value} instead of true`, value);
    if (name === '$pagesize' && size !== null && wholeNumber(value) !== size)
      return fault(`its $pagesize is ${value} instead of the page size in force`, value);
    return [];
  });
}

/** A link as part of a sentence, cut after 200 characters. */
export function printLink(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 197)}…` : text;
}

/** All faults of a query, as a clause. */
export function sentenceOf(faults: readonly QueryFault[]): string {
  return faults.map(({ what }) => what).join(', and ');
}
