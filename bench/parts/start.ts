import { commandNames } from '../commands.ts';
import { measureInterleaved, ratioRows } from '../comparison.ts';
import type { Part } from '../part.ts';
import { command, compiled } from '../paths.ts';
import type { Candidate } from '../process.ts';

export const start: Part = {
  name: 'start',
  about: '`--help` and listing commands, by a program that only shows help with yargs.',
  measure: async () => {
    const names = ['', ...(await commandNames())];
    const candidates: Record<string, Candidate> = {
      floor: { words: [compiled('floor/yargs.js'), '--help'] },
      requirements: { words: [command, 'requirements'] },
      explain: { words: [command, 'explain', 'link/offset'] },
    };
    for (const name of names)
      candidates[`${name} --help`.trim()] = { words: [command, ...(name === '' ? [] : [name]), '--help'] };
    const { floor = [], ...costs } = await measureInterleaved(candidates, { times: 5 });
    return Object.entries(costs).flatMap(([name, cost]) =>
      ratioRows(`\`assay ${name}\` by yargs alone`, cost, floor),
    );
  },
};
