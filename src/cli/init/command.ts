import type { Command } from '../command.ts';

/** `assay init`: writes a target file. */
export const initCommand: Command = {
  name: 'init',
  usage: 'init [file]',
  summary: 'Writes a commented target file and .env.example; asks on a terminal, reads options elsewhere',
  positionals: {
    file: { describe: 'target file to write; default: assay.yaml', values: 'file' },
  },
  options: {
    'base-url': { describe: 'lists come from GET {base-url}{path}' },
    'auth-url': { describe: 'tokens come from POST {auth-url}/connect/token' },
    tenant: { describe: 'value of the Tenant header; default: no header' },
    name: { describe: 'name of the target in reports; default: the host of base-url' },
    list: { array: true, describe: 'a list as NAME=PATH; default: printers=/v1/printers' },
    force: { type: 'boolean', describe: 'overwrite existing files' },
    json: { type: 'boolean', describe: 'print what was written as JSON' },
  },
  examples: [
    ['assay init', 'asks a few questions and writes assay.yaml'],
    [
      'assay init acme.yaml --auth-url https://login.acme.example --base-url https://api.acme.example',
      'without questions',
    ],
  ],
  execute: async (args, host) => (await import('./action.ts')).performInit(args, host),
};
