import { isCustomCheck } from '../core/custom-check-id.ts';
import type { Json, Results, TargetResult } from '../core/results.ts';
import { type Outcome, outcomeOf, outcomeOfAll } from '../core/verdict.ts';
import { type Difference, difference, nameOf } from './differences.ts';
import type { RecordedRun } from './recorded-run.ts';

/**
 * Contradictions of results that no verdict shows, within themselves or with the evidence: suite and seed, the
 * targets, whether the run is complete, outcomes, and rows that occur twice.
 */
export function runDifferences(results: Results, recorded: RecordedRun): readonly Difference[] {
  const { run, targets } = results;
  const outcomes = targets.map(outcomeFrom);
  const whole = run.complete && targets.length > 0;
  return [
    ...(['suite', 'seed'] as const).flatMap((field) =>
      between(null, `run.${field}`, run[field], recordedAs(recorded, field, run[field])),
    ),
    ...between(null, 'run.complete', run.complete, run.complete && !recorded.interrupted),
    ...between(null, 'outcome', results.outcome, outcomeOfAll(outcomes, whole)),
    ...targets.flatMap(ownOutcome),
    ...leftAway(results, recorded).flatMap((name) => between(name, 'rows', 0, 1)),
    ...repeated(targets.map(({ name }) => name)).flatMap((name) => between(name, 'rows', 2, 1)),
    ...targets.flatMap(rowsTwice),
  ];
}

function between(target: string | null, field: string, before: Json, now: Json | undefined): Difference[] {
  return before === now ? [] : [difference({ target, field }, before, now)];
}

function outcomeFrom({ requirements }: TargetResult): Outcome {
  return outcomeOf(requirements.map(({ verdict, waiver }) => ({ verdict, waived: waiver?.active === true })));
}

/** Custom checks are not judged again, so an outcome that depends on them is not compared. */
function ownOutcome(target: TargetResult): readonly Difference[] {
  if (!target.requirements.some(isCustomCheck)) return [];
  return between(target.name, 'outcome', target.outcome, outcomeFrom(target));
}

/** A value in the settings of the targets that differs from the given one, if there is any. */
function recordedAs({ settings }: RecordedRun, field: 'suite' | 'seed', value: Json): Json | undefined {
  const other = [...settings.values()].find(({ options }) => options[field] !== value);
  return other === undefined ? value : other.options[field];
}

function leftAway({ targets }: Results, { targets: recorded }: RecordedRun): readonly string[] {
  const judged = new Set(targets.map(({ name }) => name));
  return [...recorded].filter((name) => !judged.has(name));
}

function rowsTwice({ name, requirements, observations }: TargetResult): readonly Difference[] {
  return [requirements, observations].flatMap((rows) =>
    repeated(rows.map(nameOf)).map((of) => difference({ target: name, of, field: 'rows' }, 2, 1)),
  );
}

/** Names that occur more than once. */
function repeated(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
