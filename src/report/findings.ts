import type { Cause } from '../core/cause.ts';
import { causeSentence } from '../core/cause-sentences.ts';
import { groupBy } from '../core/maps.ts';
import { withCommas } from '../core/number-format.ts';
import type { RequirementResult, Results, TargetResult } from '../core/results.ts';
import {
  isWaived,
  OUTCOMES,
  SHOWN_VERDICTS,
  type ShownVerdict,
  shownVerdict,
  VERDICTS,
  type Verdict,
} from '../core/verdict.ts';
import { visible } from './wording/phrases.ts';

export interface Finding {
  readonly target: TargetResult;
  readonly result: RequirementResult;
  /** The identifier, with resource and target if there are several. */
  readonly label: string;
}

export interface CauseGroup {
  /** Null in results of earlier versions, which have a reason only. */
  readonly cause: Cause | null;
  /** Their common reason or, if their reasons differ, the sentence of the cause. */
  readonly sentence: string;
  readonly findings: readonly [Finding, ...Finding[]];
}

/** Number of requirements per verdict. */
export type Counts = Readonly<Record<ShownVerdict, number>>;

/**
 * The message of a violation without the parts that differ between runs with the same breach: quoted values, identifiers,
 * page sizes and numbers other than the status.
 */
export function kindOfBreach(message: string): string {
  return message
    .replace(
      /"(?:[^"\\]|\\.)*"|\b((?:answered|status) [1-5]\d\d)\b|[\w-]*\d[\w-]*(?:[.,]\d+)*/gu,
      (_part, status) => status ?? '#',
    )
    .replace(/(?:with|of|without) \$pagesize(?:=#)?/gu, '$pagesize')
    .replace(/(# [a-z]+?)s\b/gu, '$1');
}

/** The results of a run that `select` accepts, target by target, in catalogue order. */
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

export function findingsWith(results: Results, verdict: Verdict): readonly Finding[] {
  return findingsOf(results, (result) => result.verdict === verdict);
}

/** Findings grouped by cause, in the order of the first occurrence. */
export function groupByCause(findings: readonly Finding[]): readonly CauseGroup[] {
  const groups = groupBy(findings, ({ result }) => causeKey(result));
  return [...groups.values()].map((members): CauseGroup => {
    const [{ result }] = members;
    return { cause: result.cause, sentence: sharedSentence(members), findings: members };
  });
}

/** A key for verdicts with the same cause, regardless of the list and its number of records. */
function causeKey({ cause, reason }: RequirementResult): string {
  if (cause === null) return `reason ${reason}`;
  if (cause.kind === 'blocked') return `blocked ${cause.by}`;
  if (cause.kind === 'data') return `data ${cause.needs}`;
  if (cause.kind === 'intermittent') return 'intermittent';
  if (cause.kind === 'unselected') return `unselected ${reason}`;
  // Errors of custom checks differ: each names its file and line.
  if (cause.kind === 'configuration' && cause.key === 'checks') return `checks ${reason}`;
  return JSON.stringify(cause);
}

function sharedSentence(members: readonly [Finding, ...Finding[]]): string {
  const [{ result }] = members;
  const reasons = new Set(members.map((one) => one.result.reason));
  if (reasons.size === 1 || result.cause === null) return result.reason ?? 'no reason was recorded';
  if (result.cause.kind === 'intermittent')
    return 'intermittent: seen in some attempts only, so it does not count against the provider';
  if (result.cause.kind === 'unavailable' && result.reason !== null)
    return `${result.reason} (the first of ${reasons.size} reasons; results.json has all)`;
  const resources = new Set(members.map((one) => one.result.resource));
  return causeSentence(
    resources.size > 1 && result.cause.kind === 'blocked'
      ? { ...result.cause, resource: null }
      : result.cause,
  );
}

export function countVerdicts(
  requirements: readonly Pick<RequirementResult, 'verdict' | 'waiver'>[],
): Counts {
  const counts = { pass: 0, fail: 0, waived: 0, inconclusive: 0, error: 0, skipped: 0 };
  for (const one of requirements) counts[shownVerdict(one)] += 1;
  return counts;
}

/** The verdicts that occur, worst first, as text: `2 failed`, `1 waived`, `30 passed`. */
export function countWords(counts: Counts) {
  return SHOWN_VERDICTS.filter((verdict) => counts[verdict] > 0).map((verdict) => {
    return { verdict, words: `${withCommas(counts[verdict])} ${COUNT_WORDS[verdict]}` };
  });
}

/** The verdicts of these requirements: `2 failed, 1 waived, 30 passed`. */
export function verdictCounts(requirements: readonly RequirementResult[]): string {
  return countWords(countVerdicts(requirements))
    .map(({ words }) => words)
    .join(', ');
}

const COUNT_WORDS: Readonly<Record<ShownVerdict, string>> = {
  fail: 'failed',
  waived: 'waived',
  error: 'could not be carried out',
  inconclusive: 'inconclusive',
  pass: 'passed',
  skipped: 'skipped',
};

/** A run with more targets is shown as an overview. */
export const MAX_FULL_TARGETS = 24;
/** Most targets of an overview that are shown with details and evidence. */
export const DETAILED_TARGETS = 12;

/** Whether a run has so many targets that its report is an overview. */
export function isOverview({ targets }: { readonly targets: readonly unknown[] }): boolean {
  return targets.length > MAX_FULL_TARGETS;
}

/** Targets that are not conformant, worst first, then in the order of the run. */
export function targetsNeedingAttention({ targets }: Results): readonly TargetResult[] {
  const rank = ({ outcome }: TargetResult): number => OUTCOMES.indexOf(outcome);
  return targets
    .filter(({ outcome }) => outcome !== 'conformant')
    .toSorted((one, other) => rank(one) - rank(other));
}

/** Targets with a failure that no waiver covers, in the order of the run. */
export function brokenTargets({ targets }: Results): readonly TargetResult[] {
  return targets.filter(({ outcome }) => outcome === 'non-conformant');
}

/** The targets whose requests and answers a report shows: all, or the first non-conformant ones in an overview. */
export function detailedTargets(results: Results): readonly TargetResult[] {
  return isOverview(results) ? brokenTargets(results).slice(0, DETAILED_TARGETS) : results.targets;
}

/** Open failures before waived ones, then the most severe requirement; null if everything passed or was skipped. */
export function worstFinding({ requirements }: TargetResult): RequirementResult | null {
  const rank = (one: RequirementResult): number =>
    isWaived(one) ? VERDICTS.length : VERDICTS.indexOf(one.verdict);
  const [worst = null] = requirements
    .filter(({ verdict }) => verdict !== 'pass' && verdict !== 'skipped')
    .toSorted((one, other) => rank(one) - rank(other) || severityOf(one) - severityOf(other));
  return worst;
}

/** Requirements by severity, the most severe first; page sizes come last. */
const SEVERITY: readonly RegExp[] = [
  /^authorization\//u,
  /^token\/(?:grant-type|secret|client|provider-isolation|refused-after-expiry)$/u,
  /^token\//u,
  /^(?!page-size\/)/u,
];

function severityOf({ id }: RequirementResult): number {
  const place = SEVERITY.findIndex((ids) => ids.test(id));
  return place < 0 ? SEVERITY.length : place;
}
