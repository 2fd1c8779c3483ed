import type { Command } from '../command.ts';
import { envOption } from '../shared/options/option-declarations.ts';

/** `assay token TARGET`: obtains a token for curl. */
export const tokenCommand: Command = {
  name: 'token',
  usage: 'token [target]',
  summary: 'Obtains a token and prints it as export TOKEN=…, which the curl lines of reports read',
  positionals: {
    target: {
      type: 'string',
      describe: 'target file (YAML or JSON); default: the target in the ASSAY_ variables',
      values: 'file',
    },
  },
  options: {
    env: envOption,
    json: { type: 'boolean', describe: 'print the token and its validity in seconds as JSON' },
  },
  examples: [
    [
      'eval "$(assay token acme.yaml)"',
      'sets TOKEN in this shell; no other command prints a token, so keep the line out of logs',
    ],
  ],
  execute: async (args, host) => (await import('./action.ts')).performToken(args, host),
};
