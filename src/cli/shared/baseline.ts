import { type Conclusion, conclusionOf, conclusionWithout } from '../../core/conclusion.ts';
import type {
  BaselineCounts,
  RequirementResult,
  Results,
  TargetResult,
  ViolationRecord,
} from '../../core/results.ts';
import { isOpenFailure, outcomeOf, outcomeOfAll } from '../../core/verdict.ts';
import { kindOfBreach } from '../../report/findings.ts';
import { plural, visible } from '../../report/wording/phrases.ts';

interface KnownFailure {
  readonly target: string;
  readonly requirement: string;
  readonly message: string;
  /** Target, requirement and list. */
  readonly place: string;
  /** The place and the kind of breach: identical in other runs with the same failure. */
  readonly key: string;
}

interface Comparison {
  readonly accepted: readonly KnownFailure[];
  /** How many verdicts are left out because an accepted failure blocks them. */
  readonly blocked: number;
  /** Failures that the earlier run did not have. */
  readonly fresh: readonly KnownFailure[];
  /** Failures of the earlier run that did not occur although their requirement was tested. */
  readonly stale: readonly KnownFailure[];
  /** Failures of the earlier run whose requirement was not tested now. */
  readonly untested: readonly KnownFailure[];
  /** The run without accepted failures and the verdicts that they block, with the resulting outcome. */
  readonly remaining: Results;
}

/** A run as its baseline lets it count. */
interface ComparedRun {
  /** The run with the numbers of the comparison. */
  readonly results: Results;
  /** The run without what the baseline accepts. */
  readonly remaining: Results;
  readonly conclusion: Conclusion;
  /** What to print; empty without a baseline. */
  readonly words: string;
  /** Whether the baseline no longer fits: there are new failures, or known ones no longer occur. */
  readonly isOutdated: boolean;
}

/** Compares a run with its baseline, if it has one. */
export function comparedWith(results: Results, baseline: Results | null): ComparedRun {
  const conclusion = conclusionOf(results);
  if (baseline === null) return { results, remaining: results, conclusion, words: '', isOutdated: false };
  const comparison = compareWithBaseline(results, baseline);
  const { accepted, fresh, stale, remaining } = comparison;
  const counts: BaselineCounts = {
    run: baseline.run.id,
    accepted: accepted.length,
    new: fresh.length,
    stale: stale.length,
    newIn: requirementsOf(fresh),
    staleIn: requirementsOf(stale),
  };
  return {
    results: withMarks({ ...results, run: { ...results.run, baseline: counts } }, baseline),
    remaining,
    conclusion: conclusionWithout(results, remaining),
    words: baselineWords(comparison, baseline.run.id),
    isOutdated: fresh.length + stale.length > 0,
  };
}

/** The results with a mark on every breach that is accepted, and on those of waived failures that the baseline has as well. */
function withMarks(results: Results, baseline: Results): Results {
  const keysOf = (select: Select): ReadonlySet<string> =>
    new Set(failuresOf(baseline, select).map(({ key }) => key));
  const [open, all] = [keysOf(isOpenFailure), keysOf(({ verdict }) => verdict === 'fail')];
  const targets = results.targets.map((target) => ({
    ...target,
    requirements: target.requirements.map((one) => {
      const keys = isOpenFailure(one) ? open : all;
      const violations = one.violations.map(
        ({ known: _known, ...violation }): ViolationRecord =>
          keys.has(failureOf(target.name, one, violation).key) ? { ...violation, known: true } : violation,
      );
      return { ...one, violations };
    }),
  }));
  return { ...results, targets };
}

function requirementsOf(failures: readonly KnownFailure[]): readonly string[] {
  return [...new Set(failures.map(({ requirement }) => requirement))];
}

/** Accepts exactly the failures of the baseline, by requirement and kind of breach. */
export function compareWithBaseline(results: Results, baseline: Results): Comparison {
  const known = new Map(failuresOf(baseline, isOpenFailure).map((failure) => [failure.key, failure]));
  const now = failuresOf(results, isOpenFailure);
  // A failure that is now waived still occurs.
  const occurring = new Set(failuresOf(results, ({ verdict }) => verdict === 'fail').map(({ key }) => key));
  const judged = placesOf(results, ({ verdict }) => verdict === 'pass' || verdict === 'fail');
  const passedBefore = placesOf(baseline, ({ verdict }) => verdict === 'pass');
  const absent = [...known.values()].filter(({ key }) => !occurring.has(key));
  const isKnown = ({ key }: KnownFailure): boolean => known.has(key);
  const targets = results.targets.map((target) => withoutAccepted(target, isKnown, passedBefore));
  const leftOut = (select: Select): number => countOf(results.targets, select) - countOf(targets, select);
  return {
    accepted: now.filter(isKnown),
    blocked: leftOut((result) => !isOpenFailure(result)),
    fresh: now.filter((failure) => !isKnown(failure)),
    stale: absent.filter(({ place }) => judged.has(place)),
    untested: absent.filter(({ place }) => !judged.has(place)),
    remaining: { ...results, outcome: outcomeOfAll(targets, results.run.complete), targets },
  };
}

/** Without accepted failures and what they block, except where the baseline has a pass: a breach may hide there. */
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
    accepted.add(placeOf(target.name, one));
    return [];
  });
  const isBlocked = ({ cause }: RequirementResult): boolean =>
    cause?.kind === 'blocked' &&
    accepted.has(placeOf(target.name, { id: cause.by, resource: cause.resource }));
  const requirements = failures.filter(
    (one) => !isBlocked(one) || passedBefore.has(placeOf(target.name, one)),
  );
  // If all failures are accepted, nothing else is wrong with the target.
  const isAccepted = accepted.size > 0 && requirements.every(({ verdict }) => verdict === 'skipped');
  return { ...target, requirements, outcome: isAccepted ? 'conformant' : outcomeOf(requirements) };
}

function baselineWords(comparison: Comparison, id: string): string {
  const { accepted, blocked, fresh, stale, untested } = comparison;
  const consequences =
    blocked === 0
      ? ''
      : `, and ${plural(blocked, 'verdict')} blocked by ${accepted.length === 1 ? 'it' : 'them'}`;
  const lines = [
    `Baseline ${visible(id)}: ${plural(accepted.length, 'known failure')} accepted${consequences}.`,
  ];
  const add = (what: string, failures: readonly KnownFailure[]): void => {
    for (const { target, requirement, message } of failures)
      lines.push(`  ${what}: ${visible(target)}: ${visible(requirement)}: ${visible(message)}`);
  };
  add('new', fresh);
  add('no longer occurs, so make a new baseline', stale);
  const ids = [...new Set(untested.map(({ requirement }) => visible(requirement)))];
  if (ids.length > 0)
    lines.push(`  ${plural(untested.length, 'known failure')} not tested now: ${ids.join(', ')}`);
  return `${lines.join('\n')}\n`;
}

type Select = (result: RequirementResult) => boolean;

function failuresOf({ targets }: Results, select: Select): readonly KnownFailure[] {
  return targets.flatMap(({ name, requirements }) =>
    requirements
      .filter(select)
      .flatMap((result) => result.violations.map((violation) => failureOf(name, result, violation))),
  );
}

function countOf(targets: readonly TargetResult[], select: Select): number {
  return targets.reduce((sum, { requirements }) => sum + requirements.filter(select).length, 0);
}

function placesOf({ targets }: Results, select: Select): ReadonlySet<string> {
  return new Set(
    targets.flatMap(({ name, requirements }) =>
      requirements.filter(select).map((result) => placeOf(name, result)),
    ),
  );
}

function placeOf(target: string, { id, resource }: Pick<RequirementResult, 'id' | 'resource'>): string {
  return JSON.stringify([target, id, resource]);
}

function failureOf(target: string, result: RequirementResult, { message }: ViolationRecord): KnownFailure {
  const place = placeOf(target, result);
  return { target, requirement: result.id, message, place, key: `${place} ${kindOfBreach(message)}` };
}
