import path from 'node:path';

/** The checkout, in which npm starts scripts. */
export const root = process.cwd();

/** The path of a compiled bench file. */
export function compiled(file: string): string {
  return path.join(root, '.cache/bench/bench', file);
}

/** The built command. */
export const command = path.join(root, 'dist/src/cli/main.js');
