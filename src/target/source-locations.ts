import type { TargetDocument } from './document.ts';
import type { Path, Problem } from './error.ts';
import { formatPath, valueAt } from './error.ts';

/** Keys that a diagnosis may report as wrong. */
const REPORTED_KEYS: readonly Path[] = [
  ['authUrl'],
  ['baseUrl'],
  ['tenant'],
  ['credentials', 'clientId'],
  ['credentials', 'clientSecret'],
  ['credentials', 'scope'],
  ['otherCredentials'],
  ['expiredToken'],
];

/** The same keys of each resource. */
const REPORTED_RESOURCE_KEYS = ['path', 'idField'];

/**
 * The location of each of these values: the line of the file, or the variable.
 *
 * @param origins the variable of a value, by its path as text
 */
export function valueLocations(
  { file, value, lineOf }: TargetDocument,
  origins: ReadonlyMap<string, string>,
): { readonly [key: string]: string } {
  const resources: unknown = value['resources'];
  const resourceKeys = (Array.isArray(resources) ? resources : []).flatMap((_resource, index) =>
    REPORTED_RESOURCE_KEYS.map((key): Path => ['resources', index, key]),
  );
  const places = [...REPORTED_KEYS, ...resourceKeys].flatMap((path): [string, string][] => {
    const key = formatPath(path);
    const variable = origins.get(key);
    if (variable !== undefined) return [[key, variable]];
    return valueAt(value, path) === undefined ? [] : [[key, `${file}:${lineOf(path, false)}`]];
  });
  return Object.fromEntries(places);
}

/**
 * Each problem with its location, which is a line of the file or a variable, in the order of the file.
 *
 * @param origins the variable of a value, by its path as text
 */
export function locateProblems(
  problems: readonly Problem[],
  document: TargetDocument,
  origins: ReadonlyMap<string, string> = new Map(),
): string[] {
  return problems
    .map((problem) => {
      const variable = origins.get(formatPath(problem.path));
      const line = document.lineOf(problem.path, problem.atKey ?? false);
      const place = variable ?? `${document.file}:${line}`;
      return { line: variable === undefined ? line : 0, sentence: `${place}: ${problem.message}` };
    })
    .toSorted((a, b) => a.line - b.line)
    .map(({ sentence }) => sentence);
}
