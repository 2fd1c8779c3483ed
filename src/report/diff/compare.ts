import type { RequirementResult, Results, TargetResult } from '../../core/results.ts';
import { isWaived } from '../findings.ts';
import { notesOn } from './notes.ts';

/** How a verdict reads in a comparison: a failure that a waiver covers is a word of its own. */
export type Standing = RequirementResult['verdict'] | 'waived';

/** One requirement of one target and resource in both runs; null where a run has no verdict on it. */
export interface Change {
  readonly target: string;
  readonly resource: string | null;
  readonly id: string;
  readonly before: Standing | null;
  readonly after: Standing | null;
  /** Why it stands so in the later run; in the earlier one where it is gone. */
  readonly reason: string | null;
  /** Breaches that only the later run tells. */
  readonly newMessages: readonly string[];
  /** Breaches that only the earlier run told. */
  readonly goneMessages: readonly string[];
}

/** What changed between two runs. */
export interface Comparison {
  /** In what the runs themselves differ, a sentence each: then what changed need not be the provider's doing. */
  readonly notes: readonly string[];
  readonly before: { readonly id: string; readonly outcome: Results['outcome'] };
  readonly after: { readonly id: string; readonly outcome: Results['outcome'] };
  readonly worse: readonly Change[];
  readonly better: readonly Change[];
  /** Judged in the later run only. */
  readonly new: readonly Change[];
  /** Judged in the earlier run only. */
  readonly gone: readonly Change[];
  /** Failing in both, but with other words, or waived in one of them. */
  readonly otherwise: readonly Change[];
  /** True where something got worse, or something fails that the earlier run does not know, not even as skipped. */
  readonly gotWorse: boolean;
}

// What was skipped was not judged, so skipping is neither better nor worse than anything.
const RANK: Readonly<Record<Exclude<Standing, 'skipped'>, number>> = {
  pass: 0,
  inconclusive: 1,
  error: 2,
  fail: 3,
  // A waiver makes nothing better: what it covers fails all the same.
  waived: 3,
};

/** Compares two runs by target, resource and requirement. Runs of one target each compare whatever its name. */
export function compareRuns(before: Results, after: Results): Comparison {
  const changes = changesBetween(before, after);
  const judged = (standing: Standing | null): standing is Exclude<Standing, 'skipped'> =>
    standing !== null && standing !== 'skipped';
  const step = ({ before: one, after: other }: Change): number =>
    judged(one) && judged(other) ? RANK[other] - RANK[one] : 0;
  const fresh = changes.filter((one) => !judged(one.before) && judged(one.after));
  // A failure whose waiver has run out decides the outcome again.
  const worse = changes.filter((one) => step(one) > 0 || (one.before === 'waived' && one.after === 'fail'));
  return {
    notes: notesOn(before, after),
    before: { id: before.run.id, outcome: before.outcome },
    after: { id: after.run.id, outcome: after.outcome },
    worse,
    better: changes.filter((one) => step(one) < 0),
    new: fresh,
    gone: changes.filter((one) => judged(one.before) && !judged(one.after)),
    otherwise: changes.filter(
      (one) =>
        (one.before === one.after &&
          one.newMessages.length + one.goneMessages.length > 0 &&
          judged(one.after)) ||
        (one.before === 'fail' && one.after === 'waived'),
    ),
    gotWorse: worse.length > 0 || fresh.some((one) => one.before === null && isBroken(one)),
  };
}

/** Whether the later run tells a failure that no waiver covers, or could not judge for an error. */
export function isBroken({ after }: Change): boolean {
  return after === 'fail' || after === 'error';
}

function changesBetween(before: Results, after: Results): readonly Change[] {
  const single = before.targets.length === 1 && after.targets.length === 1;
  const earlier = new Map(entriesOf(before, single));
  const later = new Map(entriesOf(after, single));
  return [...new Set([...later.keys(), ...earlier.keys()])].map((key): Change => {
    const one = earlier.get(key);
    const other = later.get(key);
    const known = other ?? one;
    if (known === undefined) throw new Error('a key comes from one of the two');
    const messages = (entry: Entry | undefined) =>
      entry?.result.violations.map(({ message }) => message) ?? [];
    return {
      target: known.target.name,
      resource: known.result.resource,
      id: known.result.id,
      before: one === undefined ? null : standingOf(one.result),
      after: other === undefined ? null : standingOf(other.result),
      reason: known.result.reason,
      newMessages: without(messages(other), messages(one)),
      // What was not judged again may still occur.
      goneMessages: other?.result.verdict === 'skipped' ? [] : without(messages(one), messages(other)),
    };
  });
}

interface Entry {
  readonly target: TargetResult;
  readonly result: RequirementResult;
}

function entriesOf(results: Results, single: boolean): readonly (readonly [key: string, entry: Entry])[] {
  return results.targets.flatMap((target) =>
    target.requirements.map(
      (result) =>
        [
          JSON.stringify([single ? '' : target.name, result.resource, result.id]),
          { target, result },
        ] as const,
    ),
  );
}

function standingOf(result: RequirementResult): Standing {
  return isWaived(result) ? 'waived' : result.verdict;
}

// Ports, identifiers and page sizes differ from run to run where the breach is the same.
function without(messages: readonly string[], others: readonly string[]): readonly string[] {
  const gist = (message: string): string => message.replace(/"[^"]*"|[\w-]*\d[\w-]*/gu, '#');
  const known = new Set(others.map(gist));
  return messages.filter((message) => !known.has(gist(message)));
}
