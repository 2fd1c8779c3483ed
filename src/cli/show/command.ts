import type { Command } from '../command.ts';
import { finishedRun } from '../shared/options.ts';

export const showCommand: Command = {
  name: 'show',
  usage: 'show <run> <exchange>',
  summary: 'Prints one exchange of a run: request and answer, with headers and bodies, without secrets',
  positionals: {
    run: finishedRun,
    exchange: { describe: 'number of the exchange, as reports give it' },
  },
  options: {
    target: { value: 'NAME', describe: 'target of the exchange, in a run of several' },
    json: { describe: 'print it as JSON' },
  },
  examples: [['assay show latest 17', 'the request and the answer of exchange 17 of the newest run']],
  execute: async (args, host) => (await import('./action.ts')).performShow(args, host),
};
