import path from 'node:path';
import { command } from './paths.ts';
import type { Candidate } from './process.ts';

/** Every check that is made of each page of a walk. */
export const PAGE_CHECKS =
  'list/*,link/*,count/*,traversal/terminates,traversal/followable,traversal/no-duplicates,page-size/filled';

/** `assay run` of target files, into a folder that is replaced; the secrets in the files are the bench's own. */
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

/** The walk of a whole list with every check of its pages, and nothing else. */
export function assayTraversal(file: string, folder: string): Candidate {
  return assayRun([file], folder, '--suite', 'smoke', '--only', PAGE_CHECKS);
}
