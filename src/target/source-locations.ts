import type { TargetDocument } from './document.ts';
import type { Path, Problem } from './error.ts';
import { formatPath } from './error.ts';

/** Keys whose values a run may find to be wrong. */
const REPORTED_KEYS: readonly Path[] = [
  ['authUrl'],
  ['baseUrl'],
  ['tenant'],
  ['credentials', 'clientId'],
  ['credentials', 'clientSecret'],
  ['credentials', 'scope'],
  ['resources', 0, 'path'],
  ['otherCredentials'],
  ['expiredToken'],
];

/**
 * Where the values of these keys come from: the line of the file, or the variable.
 *
 * @param origins which variable a value came from, by its spelled path
 */
export function valueLocations(
  { file, value, lineOf }: TargetDocument,
  origins: ReadonlyMap<string, string>,
): { readonly [key: string]: string } {
  const places = REPORTED_KEYS.flatMap((path): [string, string][] => {
    const key = formatPath(path);
    const variable = origins.get(key);
    if (variable !== undefined) return [[key, variable]];
    const present = path.reduce<unknown>(
      (at, part) => (at as { readonly [part: string | number]: unknown } | undefined)?.[part],
      value,
    );
    return present === undefined ? [] : [[key, `${file}:${lineOf(path, false)}`]];
  });
  return Object.fromEntries(places);
}

/**
 * Each problem with its place in front: the line of the file, or the variable that the value came from; in the
 * order of the file.
 *
 * @param origins which variable a value came from, by its spelled path
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
