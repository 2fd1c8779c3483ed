import path from 'node:path';
import { command } from './paths.ts';
import type { Candidate } from './process.ts';

/** All checks of the pages of a traversal. */
export const PAGE_CHECKS =
  'list/*,link/*,count/*,traversal/terminates,traversal/followable,traversal/no-duplicates,page-size/filled';

/** `assay run` with target files; replaces the output folder. */
export function assayRun(files: readonly string[], folder: string, ...options: readonly string[]): Candidate {
  return {
    words: [
      command,
      'run',
      ...files,
      '--out',
      path.join(folder, 'run'),
      '--quiet',
      '--seed',
      '1',
      ...options,
    ],
  };
}

/** A traversal of a whole list with only the checks of its pages. */
export function assayTraversal(file: string, folder: string): Candidate {
  return assayRun([file], folder, '--suite', 'smoke', '--only', PAGE_CHECKS);
}
