import type { Cause } from '../core/cause.ts';
import { causeSentence } from '../core/cause-sentences.ts';
import { withCommas } from '../core/number-format.ts';
import type { RequirementResult, Results, TargetResult } from '../core/results.ts';
import { VERDICTS, type Verdict } from '../core/verdict.ts';
import { visible } from './safe-text.ts';

/** A verdict together with the target on which it was given. */
export interface Finding {
  readonly target: TargetResult;
  readonly result: RequirementResult;
  /** How reports call it: the identifier, with resource and target where there are several of them. */
  readonly label: string;
}

/** Findings that share one cause. */
export interface CauseGroup {
  /** Null in results of earlier versions, which told it in the reason alone. */
  readonly cause: Cause | null;
  /** The reason that they share, or, where their reasons differ in detail, the sentence of the cause. */
  readonly sentence: string;
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

/** Findings gathered by cause, in the order in which the causes first occur. */
export function groupByCause(findings: readonly Finding[]): readonly CauseGroup[] {
  const groups = new Map<string, [Finding, ...Finding[]]>();
  for (const finding of findings) {
    const key = causeKey(finding.result);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()].map((members): CauseGroup => {
    const [{ result }] = members;
    return { cause: result.cause ?? null, sentence: sharedSentence(members), findings: members };
  });
}

/** What verdicts have in common that share a cause: how many records a list holds, and which list it is, is no part of it. */
export function causeKey({ cause, reason }: RequirementResult): string {
  if (cause == null) return `reason ${reason}`;
  switch (cause.kind) {
    case 'blocked':
      return `blocked ${cause.by}`;
    case 'data':
      return `data ${cause.needs}`;
    case 'unselected':
      return `unselected ${reason}`;
    case 'intermittent':
      return 'intermittent';
    default:
      return JSON.stringify(cause);
  }
}

function sharedSentence(members: readonly [Finding, ...Finding[]]): string {
  const [{ result }] = members;
  const reasons = new Set(members.map((one) => one.result.reason));
  if (reasons.size === 1 || result.cause == null) return result.reason ?? 'no reason was recorded';
  if (result.cause.kind === 'intermittent')
    return 'intermittent: seen in some attempts only, so it does not count against the provider';
  const resources = new Set(members.map((one) => one.result.resource));
  return causeSentence(
    resources.size > 1 && result.cause.kind === 'blocked'
      ? { ...result.cause, resource: null }
      : result.cause,
  );
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
