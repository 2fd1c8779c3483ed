import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../core/json-text.ts';
import type { Json, TargetResult } from '../../core/results.ts';
import { sha256 } from '../../core/sha256.ts';
import type { EvidenceHead } from '../../evidence/reader.ts';

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

export function difference(
  { target, of = null, field }: Pick<Difference, 'target' | 'field'> & Partial<Pick<Difference, 'of'>>,
  then: Json | undefined,
  now: Json | undefined,
): Difference {
  return { target, of, field, then, now };
}

/** Fields with durations of the test itself, which do not depend on the provider. */
const TIMES = new Set(['durationMs']);

/** All fields in which two results of one target differ, except durations. */
export function differencesOf(then: TargetResult, now: TargetResult | null): readonly Difference[] {
  const target = then.name;
  const compare = (of: string | null, one: unknown, other: unknown): Difference[] =>
    fieldsOf('', one as Json | undefined, other as Json | undefined).map((field) => ({
      target,
      of,
      ...field,
    }));
  const normalize = hasNoCauses(then) ? withoutWording : jsonCopy;
  const { requirements, observations, ...whole } = normalize(then);
  const { requirements: required, observations: observed, ...other } = normalize(now ?? EMPTY(then));
  return [
    ...compare(null, whole, other),
    ...pairs(requirements, required).flatMap(([of, one, another]) => compare(of, one, another)),
    ...pairs(observations, observed).flatMap(([of, one, another]) => compare(of, one, another)),
  ];
}

const EMPTY = (then: TargetResult): TargetResult => ({ ...then, requirements: [], observations: [] });

// Missing and null are equivalent in results.json.
function jsonCopy(result: TargetResult): TargetResult {
  return JSON.parse(JSON.stringify(result)) as TargetResult;
}

/** Whether the results come from a version that did not record causes. */
function hasNoCauses({ requirements }: TargetResult): boolean {
  const open = requirements.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'fail');
  return open.length > 0 && open.every(({ cause }) => cause == null);
}

// The wording of rules and reasons may differ between versions; verdicts and evidence may not.
function withoutWording(result: TargetResult): TargetResult {
  const { requirements, ...whole } = jsonCopy(result);
  return {
    ...whole,
    requirements: requirements.map((one) => ({ ...one, rule: '', reason: null, cause: null })),
  };
}

interface Named {
  readonly id: string;
  readonly resource: string | null;
}

function pairs<One extends Named>(
  then: readonly One[],
  now: readonly One[],
): readonly (readonly [of: string, then: One | undefined, now: One | undefined])[] {
  const before = new Map(then.map((one) => [nameOf(one), one]));
  const after = new Map(now.map((one) => [nameOf(one), one]));
  return [...new Set([...before.keys(), ...after.keys()])].map((name) => [
    name,
    before.get(name),
    after.get(name),
  ]);
}

/** The name of a requirement or an observation, with its resource if it has one. */
export function nameOf({ id, resource }: Named): string {
  return resource === null ? id : `${id} (${resource})`;
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

  check({ line, body }: Extract<EvidenceHead, { readonly kind: 'exchange' }>): void {
    const { target, number, answer } = line;
    const compare = (field: string, before: Json, now: Json | undefined): void => {
      if (before !== now)
        this.found.push(difference({ target, of: `exchange ${number}`, field }, before, now));
    };
    const numbers = this.#numbers.get(target) ?? new Set();
    this.#numbers.set(target, numbers);
    if (numbers.has(number)) compare('lines', 2, 1);
    numbers.add(number);
    if (answer === null) return;
    const { sha256: recorded, bytes } = answer.body;
    const content = body?.() ?? null;
    if (content === null) {
      compare('body.bytes', bytes, this.#bodies.get(recorded));
      return;
    }
    const found = sha256(content);
    this.#bodies.set(found, content.length);
    compare('body.sha256', recorded, found);
    compare('body.bytes', bytes, content.length);
  }
}
