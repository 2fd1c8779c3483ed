import { isCustomCheck } from '../../core/requirement-id.ts';
import type { Json, Results, TargetResult } from '../../core/results.ts';
import { outcomeOf, outcomeOfAll } from '../../core/verdict.ts';
import { type Difference, difference, nameOf } from './differences.ts';
import type { RecordedRun } from './recorded-run.ts';

/**
 * Contradictions in results that no verdict shows, either internal or with the evidence: suite and seed,
 * targets, completeness, outcomes, and duplicate rows.
 */
export function runDifferences(results: Results, recorded: RecordedRun): readonly Difference[] {
  const { run, targets } = results;
  const expected = targets.map(({ requirements }) => ({ outcome: outcomeOf(requirements) }));
  const whole = run.complete && targets.length > 0;
  return [
    ...(['suite', 'seed'] as const).flatMap((field) =>
      fieldDifference(null, `run.${field}`, run[field], recordedValue(recorded, field, run[field])),
    ),
    ...fieldDifference(null, 'run.complete', run.complete, run.complete && !recorded.interrupted),
    ...fieldDifference(null, 'outcome', results.outcome, outcomeOfAll(expected, whole)),
    ...targets.flatMap(customOutcomeDifference),
    ...missingTargets(results, recorded).flatMap((name) => fieldDifference(name, 'rows', 0, 1)),
    ...duplicates(targets.map(({ name }) => name)).flatMap((name) => fieldDifference(name, 'rows', 2, 1)),
    ...targets.flatMap(duplicateRows),
  ];
}

function fieldDifference(
  target: string | null,
  field: string,
  before: Json,
  now: Json | undefined,
): Difference[] {
  return before === now ? [] : [difference({ target, field }, before, now)];
}

/** Custom checks are not judged again, so an outcome that depends on them is not compared. */
function customOutcomeDifference(target: TargetResult): readonly Difference[] {
  if (!target.requirements.some(isCustomCheck)) return [];
  return fieldDifference(target.name, 'outcome', target.outcome, outcomeOf(target.requirements));
}

/** The first value in the settings of the targets that differs from the given one, or else the given one. */
function recordedValue({ settings }: RecordedRun, field: 'suite' | 'seed', value: Json): Json | undefined {
  const other = [...settings.values()].find(({ options }) => options[field] !== value);
  return other === undefined ? value : other.options[field];
}

function missingTargets({ targets }: Results, { targets: recorded }: RecordedRun): readonly string[] {
  const judged = new Set(targets.map(({ name }) => name));
  return [...recorded].filter((name) => !judged.has(name));
}

function duplicateRows({ name, requirements, observations }: TargetResult): readonly Difference[] {
  return [requirements, observations].flatMap((rows) =>
    duplicates(rows.map(nameOf)).map((of) => difference({ target: name, of, field: 'rows' }, 2, 1)),
  );
}

/** Names that occur more than once. */
function duplicates(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
