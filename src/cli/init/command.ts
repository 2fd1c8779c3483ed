import type { Command } from '../command.ts';

/** `assay init`: writes a target file. */
export const initCommand: Command = {
  name: 'init',
  usage: 'init [file]',
  summary: 'Writes a commented target file and .env.example; asks on a terminal, takes flags elsewhere',
  positionals: { file: { type: 'string', describe: 'the target file to write; assay.yaml unless given' } },
  options: {
    'auth-url': { type: 'string', describe: 'tokens come from POST {auth-url}/connect/token' },
    'base-url': { type: 'string', describe: 'lists come from GET {base-url}{path}' },
    tenant: { type: 'string', describe: 'value of the Tenant header; not sent unless given' },
    name: { type: 'string', describe: 'what reports call the target; the host of base-url unless given' },
    list: {
      type: 'string',
      array: true,
      describe: 'a list as NAME=PATH; may be repeated; printers=/v1/printers unless given',
    },
    force: { type: 'boolean', describe: 'overwrite files that are there' },
    json: { type: 'boolean', describe: 'what was written, as JSON on standard output' },
  },
  examples: [
    ['assay init', 'answers a few questions, and there is assay.yaml'],
    [
      'assay init acme.yaml --auth-url https://login.acme.example --base-url https://api.acme.example',
      'without questions',
    ],
  ],
  execute: async (args, host) => (await import('./action.ts')).performInit(args, host),
};
