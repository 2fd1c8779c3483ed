import { FILE_NAMES } from '../../core/file-names.ts';
import type { Json } from '../../core/results.ts';
import type { Manifest } from './manifest.ts';

/** Members of `run` in both the manifest and results.json. */
const COMMON = ['id', 'suite', 'seed', 'complete'] as const;

/**
 * The differences between a manifest and results.json, one sentence each.
 *
 * @param text results.json
 */
export function disagreements({ tool, run, targets }: Manifest, text: string): readonly string[] {
  const results = parseJson(text);
  const difference = (field: string, one: Json | undefined, other: Json | undefined): readonly string[] =>
    one === other
      ? []
      : [
          `${FILE_NAMES.manifest} says that ${field} is ${display(one)}, but results.json says ${display(other)}`,
        ];
  const resultsRun = member(results, 'run');
  const names = member(results, 'targets');
  const listed = Array.isArray(names) ? names.map((one: Json) => member(one, 'name')) : [];
  return [
    ...difference('the version of Assay', tool.version, member(member(results, 'tool'), 'version')),
    ...COMMON.flatMap((field) => difference(`the ${LABELS[field]}`, run[field], member(resultsRun, field))),
    ...difference('the outcome', run.outcome, member(results, 'outcome')),
    ...difference(
      'the list of targets',
      JSON.stringify(targets.map(({ name }) => name)),
      JSON.stringify(listed),
    ),
  ];
}

const LABELS = { id: 'run id', suite: 'suite', seed: 'seed', complete: 'completeness' } as const;

function parseJson(text: string): Json {
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

function display(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
