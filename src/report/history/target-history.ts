import type { Results, TargetResult } from '../../core/results.ts';
import { type Outcome, VERDICTS, type Verdict } from '../../core/verdict.ts';
import { countVerdicts, isWaived } from '../findings.ts';

/** A run with the URL of its report. */
export interface PastRun {
  readonly link: string;
  readonly results: Results;
}

/** One run of one target. */
export interface Point {
  readonly link: string;
  readonly id: string;
  readonly at: string;
  readonly outcome: Outcome;
  /** Number of requirements that passed. */
  readonly passed: number;
  readonly target: TargetResult;
}

/** One requirement over the runs of a target: the worst verdict of its resources; null if it was absent. */
export interface Row {
  readonly id: string;
  readonly verdicts: readonly (Verdict | 'waived' | null)[];
  /** How often it changed from pass to fail or back. */
  readonly changes: number;
}

/** The history of one target. */
export interface TargetHistory {
  readonly name: string;
  readonly points: readonly Point[];
  readonly rows: readonly Row[];
  /** Rows that changed at least twice. */
  readonly flaky: readonly Row[];
}

/** Most runs shown per target; the newest count. */
const MAX_RUNS = 40;

/** Sorts runs by target, oldest first. */
export function historyOf(runs: readonly PastRun[]): readonly TargetHistory[] {
  const names = [...new Set(runs.flatMap(({ results }) => results.targets.map(({ name }) => name)))];
  return names.map((name) => {
    const points = runs
      .flatMap(({ link, results }) =>
        results.targets
          .filter((target) => target.name === name)
          .map((target): Point => {
            const { id, startedAt } = results.run;
            const { pass: passed } = countVerdicts(target.requirements);
            return { link, id, at: startedAt, outcome: target.outcome, passed, target };
          }),
      )
      .slice(-MAX_RUNS);
    const ids = [...new Set(points.flatMap(({ target }) => target.requirements.map(({ id }) => id)))];
    const rows = ids.map((id): Row => {
      const verdicts = points.map(({ target }) => worstOf(target, id));
      return { id, verdicts, changes: countChanges(verdicts) };
    });
    return { name, points, rows, flaky: rows.filter(({ changes }) => changes >= 2) };
  });
}

function worstOf(target: TargetResult, id: string): Verdict | 'waived' | null {
  const results = target.requirements.filter((one) => one.id === id);
  const worst = VERDICTS.find((verdict) => results.some((one) => one.verdict === verdict)) ?? null;
  if (worst === 'fail' && results.filter(({ verdict }) => verdict === 'fail').every(isWaived))
    return 'waived';
  return worst;
}

function countChanges(verdicts: readonly (Verdict | 'waived' | null)[]): number {
  const decided = verdicts.filter((verdict) => verdict === 'pass' || verdict === 'fail');
  return decided.filter((verdict, index) => index > 0 && verdict !== decided[index - 1]).length;
}
