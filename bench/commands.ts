import { command } from './paths.ts';
import { costOf } from './process.ts';

/** The names of all commands, from the help. */
export async function commands(): Promise<readonly string[]> {
  const { out } = await costOf({ words: [command, '--help'] });
  return [...out.matchAll(/^ {2}assay ([a-z]+)/gmu)].map(([, name = '']) => name);
}
