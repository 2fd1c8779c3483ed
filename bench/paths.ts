import path from 'node:path';

/** The checkout: npm starts scripts there. */
export const root = process.cwd();

/** A file of the bench, compiled. */
export function compiled(file: string): string {
  return path.join(root, 'node_modules/.cache/bench/bench', file);
}

/** The command as it is installed. */
export const command = path.join(root, 'dist/src/cli/main.js');
