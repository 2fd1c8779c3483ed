import type { RequirementResult, Results, TargetResult, ViolationRecord } from '../core/results.ts';
import { outcomeOf, outcomeOfAll } from '../core/verdict.ts';
import { isOpenFailure } from '../report/findings.ts';
import { plural } from '../report/phrases.ts';
import { visible } from '../report/safe-text.ts';

/** A failure of one run that another is compared with. */
export interface KnownFailure {
  readonly target: string;
  readonly requirement: string;
  readonly resource: string | null;
  /** What makes it the same failure in another run. */
  readonly key: string;
  readonly message: string;
}

/** A run held against an earlier one. */
export interface Comparison {
  readonly accepted: readonly KnownFailure[];
  /** Failures that the earlier run did not have. */
  readonly fresh: readonly KnownFailure[];
  /** Failures of the earlier run that did not occur although their requirement was judged. */
  readonly stale: readonly KnownFailure[];
  /** The run without the failures that are accepted and without what they block, with the outcome that remains. */
  readonly remaining: Results;
}

/** Holds a run against a baseline: exactly the failures of that run are accepted, by requirement and kind of breach. */
export function compareWithBaseline(results: Results, baseline: Results): Comparison {
  const known = new Map(failuresOf(baseline).map((failure) => [idOf(failure), failure]));
  const now = failuresOf(results);
  // What somebody has waived since occurs all the same.
  const occurring = new Set(failuresOf(results, isFailure).map(idOf));
  const judged = new Set(
    results.targets.flatMap(({ name, requirements }) =>
      requirements
        .filter(({ verdict }) => verdict === 'pass' || verdict === 'fail')
        .map(({ id, resource }) => JSON.stringify([name, id, resource])),
    ),
  );
  const isKnown = (failure: KnownFailure): boolean => known.has(idOf(failure));
  const targets = results.targets.map((target) => without(target, isKnown));
  return {
    accepted: now.filter(isKnown),
    fresh: now.filter((failure) => !isKnown(failure)),
    stale: [...known.values()].filter(
      (failure) =>
        !occurring.has(idOf(failure)) &&
        judged.has(JSON.stringify([failure.target, failure.requirement, failure.resource])),
    ),
    remaining: {
      ...results,
      outcome: outcomeOfAll(
        targets.map(({ outcome }) => outcome),
        results.run.complete,
      ),
      targets,
    },
  };
}

// What an accepted failure blocks was so in the earlier run as well, and stays so until it is fixed.
function without(target: TargetResult, isKnown: (failure: KnownFailure) => boolean): TargetResult {
  const accepted = new Set<string>();
  const failures = target.requirements.flatMap((one) => {
    if (!isOpenFailure(one)) return [one];
    const violations = one.violations.filter((violation) => !isKnown(failureOf(target.name, one, violation)));
    if (violations.length > 0) return [{ ...one, violations }];
    accepted.add(placeOf(one.id, one.resource));
    return [];
  });
  const requirements = failures.filter(
    ({ cause }) => cause?.kind !== 'blocked' || !accepted.has(placeOf(cause.by, cause.resource)),
  );
  const outcome = outcomeOf(
    requirements.map(({ verdict, waiver }) => ({ verdict, waived: waiver?.active === true })),
  );
  // Where all that is left was accepted, nothing that the baseline does not know keeps it from conforming.
  return { ...target, requirements, outcome: requirements.length === 0 ? 'conformant' : outcome };
}

function placeOf(id: string, resource: string | null): string {
  return JSON.stringify([id, resource]);
}

/** The comparison in words, for the terminal. */
export function baselineWords({ accepted, fresh, stale }: Comparison, id: string): string {
  const lines = [`Baseline ${visible(id)}: ${plural(accepted.length, 'known failure')} accepted.`];
  const told = (what: string, failures: readonly KnownFailure[]): void => {
    for (const { target, requirement, message } of failures)
      lines.push(`  ${what}: ${visible(target)}: ${visible(requirement)}: ${visible(message)}`);
  };
  told('new', fresh);
  told('no longer occurs, so make a new baseline', stale);
  return `${lines.join('\n')}\n`;
}

function failuresOf(
  results: Results,
  select: (result: RequirementResult) => boolean = isOpenFailure,
): readonly KnownFailure[] {
  return results.targets.flatMap(({ name, requirements }) =>
    requirements.filter(select).flatMap((result) => failuresIn(name, result)),
  );
}

function isFailure({ verdict }: RequirementResult): boolean {
  return verdict === 'fail';
}

function failuresIn(target: string, result: RequirementResult): readonly KnownFailure[] {
  return result.violations.map((violation) => failureOf(target, result, violation));
}

function failureOf(
  target: string,
  { id, resource }: RequirementResult,
  { message }: ViolationRecord,
): KnownFailure {
  return { target, requirement: id, resource, key: keyOf(message), message };
}

// The sentence without what changes with the data, as the smallest case does: numbers, identifiers, the page size of the case.
function keyOf(message: string): string {
  return message
    .replace(/[\w-]*\d[\w-]*(?:[.,]\d+)*/g, '#')
    .replace(/(?:with|of|without) \$pagesize(?:=#)?/g, '$pagesize')
    .replace(/(# [a-z]+?)s\b/g, '$1');
}

function idOf({ target, requirement, resource, key }: KnownFailure): string {
  return JSON.stringify([target, requirement, resource, key]);
}
