import type { RequirementResult, Results, TargetResult } from '../core/results.ts';
import { VERDICTS, type Verdict } from '../core/verdict.ts';
import { withCommas } from '../core/with-commas.ts';
import { visible } from './safe-text.ts';

/** A verdict together with the target on which it was given. */
export interface Finding {
  readonly target: TargetResult;
  readonly result: RequirementResult;
  /** How reports call it: the identifier, with resource and target where there are several of them. */
  readonly label: string;
}

/** Findings that share one reason. */
export interface ReasonGroup {
  readonly reason: string;
  readonly findings: readonly Finding[];
}

/** What is counted: verdicts, and apart from other failures those that a waiver covers. */
export type Counted = Verdict | 'waived';

/** Number of requirements per verdict. */
export type Counts = Readonly<Record<Counted, number>>;

/** True for a failure that decides the outcome: no waiver covers it, or its waiver has run out. */
export function isOpenFailure(result: RequirementResult): boolean {
  return result.verdict === 'fail' && result.waiver?.active !== true;
}

/** True for a failure that a waiver covers. */
export function isWaived(result: RequirementResult): boolean {
  return result.verdict === 'fail' && result.waiver?.active === true;
}

/** Every verdict of a run that `select` takes, target by target, in the catalogue's order. */
export function findingsOf(
  results: Results,
  select: (result: RequirementResult) => boolean,
): readonly Finding[] {
  const several = results.targets.length > 1;
  return results.targets.flatMap((target) => {
    const resources = new Set(target.requirements.flatMap((one) => one.resource ?? []));
    return target.requirements.filter(select).map((result) => {
      const resource = resources.size > 1 && result.resource !== null ? ` (${visible(result.resource)})` : '';
      const prefix = several ? `${visible(target.name)}: ` : '';
      return { target, result, label: `${prefix}${visible(result.id)}${resource}` };
    });
  });
}

/** Findings gathered by reason, in the order in which the reasons first occur. */
export function groupByReason(findings: readonly Finding[]): readonly ReasonGroup[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const reason = finding.result.reason ?? 'no reason was given';
    const group = groups.get(reason);
    if (group === undefined) groups.set(reason, [finding]);
    else group.push(finding);
  }
  return [...groups].map(([reason, members]) => ({ reason, findings: members }));
}

/** Number of requirements per verdict. */
export function countVerdicts(requirements: readonly RequirementResult[]): Counts {
  const counts = { pass: 0, fail: 0, waived: 0, inconclusive: 0, error: 0, skipped: 0 };
  for (const one of requirements) counts[isWaived(one) ? 'waived' : one.verdict] += 1;
  return counts;
}

/** What occurs, worst first, with its number. */
export function occurring(counts: Counts): readonly (readonly [counted: Counted, number: number])[] {
  return VERDICTS.flatMap((verdict) => (verdict === 'fail' ? [verdict, 'waived' as const] : [verdict]))
    .map((counted) => [counted, counts[counted]] as const)
    .filter(([, number]) => number > 0);
}

/** What occurs, worst first, as words: `2 failed`, `1 waived`, `30 passed`. */
export function countWords(counts: Counts): readonly { readonly counted: Counted; readonly words: string }[] {
  return occurring(counts).map(([counted, number]) => ({
    counted,
    words: `${withCommas(number)} ${COUNT_WORDS[counted]}`,
  }));
}

const COUNT_WORDS: Readonly<Record<Counted, string>> = {
  fail: 'failed',
  waived: 'waived',
  error: 'could not be carried out',
  inconclusive: 'inconclusive',
  pass: 'passed',
  skipped: 'skipped',
};
