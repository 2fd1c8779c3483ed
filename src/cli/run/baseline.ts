import type { RequirementResult, Results, TargetResult, ViolationRecord } from '../../core/results.ts';
import { outcomeOf, outcomeOfAll } from '../../core/verdict.ts';
import { isOpenFailure } from '../../report/findings.ts';
import { plural } from '../../report/wording/phrases.ts';
import { visible } from '../../report/wording/safe-text.ts';

/** A failure that can be compared between runs. */
interface KnownFailure {
  readonly target: string;
  readonly requirement: string;
  readonly resource: string | null;
  /** Identical in other runs with the same failure. */
  readonly key: string;
  readonly message: string;
}

/** A run compared with an earlier one. */
export interface Comparison {
  readonly accepted: readonly KnownFailure[];
  /** Failures that the earlier run did not have. */
  readonly fresh: readonly KnownFailure[];
  /** Failures of the earlier run that did not occur although their requirement was tested. */
  readonly stale: readonly KnownFailure[];
  /** The run without accepted failures and the verdicts that they block, with the resulting outcome. */
  readonly remaining: Results;
}

/**
 * Compares a run with a baseline. Accepts exactly the failures of that run, by requirement and kind of
 * breach.
 */
export function compareWithBaseline(results: Results, baseline: Results): Comparison {
  const known = new Map(failuresOf(baseline).map((failure) => [idOf(failure), failure]));
  const now = failuresOf(results);
  // A failure that is now waived still occurs.
  const occurring = new Set(failuresOf(results, isFailure).map(idOf));
  const judged = new Set(
    results.targets.flatMap(({ name, requirements }) =>
      requirements
        .filter(({ verdict }) => verdict === 'pass' || verdict === 'fail')
        .map((one) => resultKey(name, one)),
    ),
  );
  const isKnown = (failure: KnownFailure): boolean => known.has(idOf(failure));
  const passedBefore = new Set(
    baseline.targets.flatMap(({ name, requirements }) =>
      requirements.filter(({ verdict }) => verdict === 'pass').map((one) => resultKey(name, one)),
    ),
  );
  const targets = results.targets.map((target) => withoutAccepted(target, isKnown, passedBefore));
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
      outcome: outcomeOfAll(targets, results.run.complete),
      targets,
    },
  };
}

/**
 * A target without its accepted failures, and without the verdicts that they block, unless the earlier run had a pass
 * there: another breach may hide behind these.
 */
function withoutAccepted(
  target: TargetResult,
  isKnown: (failure: KnownFailure) => boolean,
  passedBefore: ReadonlySet<string>,
): TargetResult {
  const accepted = new Set<string>();
  const failures = target.requirements.flatMap((one) => {
    if (!isOpenFailure(one)) return [one];
    const violations = one.violations.filter((violation) => !isKnown(failureOf(target.name, one, violation)));
    if (violations.length > 0) return [{ ...one, violations }];
    accepted.add(requirementKey(one.id, one.resource));
    return [];
  });
  const isBlocked = ({ cause }: RequirementResult): boolean =>
    cause?.kind === 'blocked' && accepted.has(requirementKey(cause.by, cause.resource));
  const requirements = failures.filter(
    (one) => !isBlocked(one) || passedBefore.has(resultKey(target.name, one)),
  );
  // If all failures are accepted, nothing else is wrong with the target.
  const isAccepted = accepted.size > 0 && requirements.every(({ verdict }) => verdict === 'skipped');
  return { ...target, requirements, outcome: isAccepted ? 'conformant' : outcomeOf(requirements) };
}

function requirementKey(id: string, resource: string | null): string {
  return JSON.stringify([id, resource]);
}

function resultKey(target: string, { id, resource }: Pick<RequirementResult, 'id' | 'resource'>): string {
  return JSON.stringify([target, id, resource]);
}

/** The comparison as text for the terminal. */
export function baselineWords({ accepted, fresh, stale }: Comparison, id: string): string {
  const lines = [`Baseline ${visible(id)}: ${plural(accepted.length, 'known failure')} accepted.`];
  const add = (what: string, failures: readonly KnownFailure[]): void => {
    for (const { target, requirement, message } of failures)
      lines.push(`  ${what}: ${visible(target)}: ${visible(requirement)}: ${visible(message)}`);
  };
  add('new', fresh);
  add('no longer occurs, so make a new baseline', stale);
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

// The message without the parts that depend on the data: numbers other than the status, identifiers and page size.
function keyOf(message: string): string {
  return message
    .replace(
      /\b((?:answered|status) [1-5]\d\d)\b|[\w-]*\d[\w-]*(?:[.,]\d+)*/g,
      (_part, status) => status ?? '#',
    )
    .replace(/(?:with|of|without) \$pagesize(?:=#)?/g, '$pagesize')
    .replace(/(# [a-z]+?)s\b/g, '$1');
}

function idOf({ target, requirement, resource, key }: KnownFailure): string {
  return JSON.stringify([target, requirement, resource, key]);
}
