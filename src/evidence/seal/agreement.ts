import { FILE_NAMES } from '../../core/file-names.ts';
import { isJsonObject, parsedJson } from '../../core/json-text.ts';
import type { Manifest } from './manifest.ts';

/** Members of `run` in both the manifest and results.json. */
const COMMON = ['id', 'suite', 'seed', 'complete'] as const;

/**
 * The differences between a manifest and results.json, one sentence each.
 *
 * @param text results.json
 */
export function disagreements({ tool, run, targets }: Manifest, text: string): readonly string[] {
  const results = parsedJson(text);
  const difference = (field: string, one: unknown, other: unknown): readonly string[] =>
    one === other
      ? []
      : [
          `${FILE_NAMES.manifest} says that ${field} is ${display(one)}, but results.json says ${display(other)}`,
        ];
  const resultsRun = member(results, 'run');
  const names = member(results, 'targets');
  const listed = Array.isArray(names) ? names.map((one) => member(one, 'name')) : [];
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

function member(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

function display(value: unknown): string {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
