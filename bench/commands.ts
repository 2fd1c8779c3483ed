import { command } from './paths.ts';
import { measureProcess } from './process.ts';

/** The names of all commands, from the help. */
export async function commandNames(): Promise<readonly string[]> {
  const { out } = await measureProcess({ words: [command, '--help'] });
  return [...out.matchAll(/^ {2}assay ([a-z]+)/gmu)].map(([, name = '']) => name);
}
