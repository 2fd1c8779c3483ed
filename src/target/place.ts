import type { TargetDocument } from './document.ts';
import type { Problem } from './error.ts';
import { spelled } from './error.ts';

/**
 * Each problem with its place in front: the line of the file, or the variable that the value came from; in the
 * order of the file.
 *
 * @param origins which variable a value came from, by its spelled path
 */
export function placed(
  problems: readonly Problem[],
  document: TargetDocument,
  origins: ReadonlyMap<string, string> = new Map(),
): string[] {
  return problems
    .map((problem) => {
      const variable = origins.get(spelled(problem.path));
      const line = document.lineOf(problem.path, problem.atKey ?? false);
      const place = variable ?? `${document.file}:${line}`;
      return { line: variable === undefined ? line : 0, sentence: `${place}: ${problem.message}` };
    })
    .toSorted((a, b) => a.line - b.line)
    .map(({ sentence }) => sentence);
}
