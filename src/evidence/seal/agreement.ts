import type { Json } from '../../core/results.ts';
import { MANIFEST, type Manifest } from './manifest.ts';

/** What a manifest tells of a run, and results.json, too. */
const COMMON = ['id', 'suite', 'seed', 'complete'] as const;

/**
 * Where a manifest tells a run otherwise than its results.json, one sentence each; none where both say the same.
 *
 * @param text results.json
 */
export function disagreements({ tool, run, targets }: Manifest, text: string): readonly string[] {
  const results = parsed(text);
  const told = (field: string, one: Json | undefined, other: Json | undefined): readonly string[] =>
    one === other
      ? []
      : [`${MANIFEST} says that ${field} is ${words(one)}, but results.json says ${words(other)}`];
  const second = member(results, 'run');
  const names = member(results, 'targets');
  const listed = Array.isArray(names) ? names.map((one: Json) => member(one, 'name')) : [];
  return [
    ...told('the version of Assay', tool.version, member(member(results, 'tool'), 'version')),
    ...COMMON.flatMap((field) => told(`the ${LABELS[field]}`, run[field], member(second, field))),
    ...told('the outcome', run.outcome, member(results, 'outcome')),
    ...told('the list of targets', JSON.stringify(targets.map(({ name }) => name)), JSON.stringify(listed)),
  ];
}

const LABELS = { id: 'run id', suite: 'suite', seed: 'seed', complete: 'completeness' } as const;

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function member(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return (value as { readonly [name: string]: Json })[name];
}

function words(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
