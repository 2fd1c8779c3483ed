import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../core/json-text.ts';
import { getOrMake } from '../../core/maps.ts';
import { isCustomCheck } from '../../core/requirement-id.ts';
import {
  type Json,
  nameWithList,
  type RequirementResult,
  type Results,
  type TargetResult,
} from '../../core/results.ts';
import { sha256 } from '../../core/sha256.ts';
import { outcomeOf, outcomeOfAll } from '../../core/verdict.ts';
import type { EvidenceSetting } from '../../evidence/line.ts';
import type { ExchangeLine } from '../../evidence/reader.ts';
import type { CheckedList } from '../evidence-setting.ts';

/** One field that differs between two results. */
export interface Difference {
  /** Null for the run as a whole. */
  readonly target: string | null;
  /** The requirement or observation with its resource, or the exchange; null for the whole target. */
  readonly of: string | null;
  /** Such as `verdict` or `violations[0].message`. */
  readonly field: string;
  /** Undefined if the field was missing. */
  readonly then: Json | undefined;
  readonly now: Json | undefined;
}

/** The difference between two values; empty if they are equal. */
export function compare(
  { target, of = null, field }: Pick<Difference, 'target' | 'field'> & Partial<Pick<Difference, 'of'>>,
  then: Json | undefined,
  now: Json | undefined,
): readonly Difference[] {
  return then === now ? [] : [{ target, of, field, then, now }];
}

/** Fields with durations of the test itself, which do not depend on the provider. */
const TIMES = new Set(['durationMs']);

/**
 * All fields in which two results of one target differ, except durations and the requests of single requirements: those of
 * shared evidence count for whichever check or observation asked first. The requests of the target are compared.
 */
export function differencesOf(then: TargetResult, now: TargetResult | null): readonly Difference[] {
  const target = then.name;
  const differing = (of: string | null, one: unknown, other: unknown): Difference[] => {
    const fields = fieldsOf('', one as Json | undefined, other as Json | undefined);
    return fields.map((field) => ({ target, of, ...field }));
  };
  const { requirements, observations, ...whole } = jsonCopy(then);
  const {
    requirements: required,
    observations: observed,
    ...other
  } = jsonCopy(now ?? { ...then, requirements: [], observations: [] });
  return [
    ...differing(null, whole, other),
    ...pairs(requirements, required).flatMap(([of, one, another]) =>
      differing(of, withoutRequests(one), withoutRequests(another)),
    ),
    ...pairs(observations, observed).flatMap(([of, one, another]) => differing(of, one, another)),
  ];
}

function withoutRequests(row: RequirementResult | undefined): object | undefined {
  return row === undefined ? undefined : { ...row, requests: null };
}

// Missing and null are equivalent in results.json.
function jsonCopy(result: TargetResult): TargetResult {
  return JSON.parse(JSON.stringify(result)) as TargetResult;
}

function pairs<One extends CheckedList>(
  then: readonly One[],
  now: readonly One[],
): readonly (readonly [of: string, then: One | undefined, now: One | undefined])[] {
  const before = new Map(then.map((one) => [nameWithList(one), one]));
  const after = new Map(now.map((one) => [nameWithList(one), one]));
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].map((name) => [name, before.get(name), after.get(name)]);
}

function fieldsOf(
  field: string,
  then: Json | undefined,
  now: Json | undefined,
): { readonly field: string; readonly then: Json | undefined; readonly now: Json | undefined }[] {
  if (isDeepStrictEqual(then, now)) return [];
  if (Array.isArray(then) && Array.isArray(now) && then.length === now.length)
    return then.flatMap((one: Json, index) => fieldsOf(`${field}[${index}]`, one, now[index] as Json));
  if (!isJsonObject(then) || !isJsonObject(now))
    return [{ field: field === '' ? 'the whole' : field, then, now }];
  return [...new Set([...Object.keys(then), ...Object.keys(now)])]
    .filter((name) => !TIMES.has(name))
    .flatMap((name) => fieldsOf(field === '' ? name : `${field}.${name}`, then[name], now[name]));
}

/**
 * Checks evidence lines as they are read: each exchange number occurs once, and each body has the hash and
 * length stated in its line. The order of lines is not checked.
 */
export class EvidenceFaults {
  readonly found: Difference[] = [];
  readonly #numbers = new Map<string, Set<number>>();
  /** Length of each verified body in bytes, by hash. */
  readonly #bodies = new Map<string, number>();

  check({ target, number, answer }: ExchangeLine, body: (() => Uint8Array) | null): void {
    const expect = (field: string, before: Json, now: Json | undefined): void => {
      this.found.push(...compare({ target, of: `exchange ${number}`, field }, before, now));
    };
    const numbers = getOrMake(this.#numbers, target, () => new Set());
    if (numbers.has(number)) expect('lines', 2, 1);
    numbers.add(number);
    if (answer === null) return;
    const { sha256: recorded, bytes } = answer.body;
    const content = body?.() ?? null;
    if (content === null) {
      expect('body.bytes', bytes, this.#bodies.get(recorded));
      return;
    }
    const found = sha256(content);
    this.#bodies.set(found, content.length);
    expect('body.sha256', recorded, found);
    expect('body.bytes', bytes, content.length);
  }
}

interface RunRecord {
  readonly settings: ReadonlyMap<string, EvidenceSetting>;
  /** Names of all targets in the evidence. */
  readonly targets: ReadonlySet<string>;
  /** Whether a stop of the run aborted any request. */
  readonly interrupted: boolean;
}

/**
 * Contradictions in results that no verdict shows, either internal or with the evidence: suite and seed,
 * targets, completeness, outcomes, and duplicate rows.
 */
export function runDifferences(results: Results, recorded: RunRecord): readonly Difference[] {
  const { run, targets } = results;
  const expected = targets.map(({ requirements }) => ({ outcome: outcomeOf(requirements) }));
  const whole = run.complete && targets.length > 0;
  return [
    ...(['suite', 'seed'] as const).flatMap((field) =>
      compare(
        { target: null, field: `run.${field}` },
        run[field],
        recordedValue(recorded, field, run[field]),
      ),
    ),
    ...compare({ target: null, field: 'run.complete' }, run.complete, run.complete && !recorded.interrupted),
    ...compare({ target: null, field: 'outcome' }, results.outcome, outcomeOfAll(expected, whole)),
    ...targets.flatMap(customOutcomeDifference),
    ...missingTargets(results, recorded).flatMap((target) => compare({ target, field: 'rows' }, 0, 1)),
    ...duplicates(targets.map(({ name }) => name)).flatMap((target) =>
      compare({ target, field: 'rows' }, 2, 1),
    ),
    ...targets.flatMap(duplicateRows),
  ];
}

/** Custom checks are not judged again, so an outcome that depends on them is not compared. */
function customOutcomeDifference(target: TargetResult): readonly Difference[] {
  if (!target.requirements.some(isCustomCheck)) return [];
  return compare({ target: target.name, field: 'outcome' }, target.outcome, outcomeOf(target.requirements));
}

/** The first value in the settings of the targets that differs from the given one, or else the given one. */
function recordedValue({ settings }: RunRecord, field: 'suite' | 'seed', value: Json): Json | undefined {
  const other = [...settings.values()].find(({ options }) => options[field] !== value);
  return other === undefined ? value : other.options[field];
}

function missingTargets({ targets }: Results, { targets: recorded }: RunRecord): readonly string[] {
  const judged = new Set(targets.map(({ name }) => name));
  return [...recorded].filter((name) => !judged.has(name));
}

function duplicateRows({ name, requirements, observations }: TargetResult): readonly Difference[] {
  return [requirements, observations].flatMap((rows) =>
    duplicates(rows.map(nameWithList)).flatMap((of) => compare({ target: name, of, field: 'rows' }, 2, 1)),
  );
}

/** Names that occur more than once. */
function duplicates(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
