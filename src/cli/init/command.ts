import type { Command } from '../command.ts';

export const initCommand: Command = {
  name: 'init',
  usage: 'init [file]',
  summary: 'Writes a commented target file and .env.example; asks on a terminal, reads options elsewhere',
  positionals: { file: { describe: 'target file to write; default: assay.yaml', values: 'file' } },
  options: {
    'base-url': { value: 'URL', describe: 'lists come from GET {base-url}{path}' },
    'auth-url': { value: 'URL', describe: 'tokens come from POST {auth-url}/connect/token' },
    tenant: { value: 'VALUE', describe: 'value of the Tenant header; default: no header' },
    name: { value: 'NAME', describe: 'name of the target in reports; default: the host of base-url' },
    list: {
      value: 'NAME=PATH',
      array: true,
      describe: 'a list as NAME=PATH; default: printers=/v1/printers',
    },
    force: { describe: 'overwrite existing files' },
    json: { describe: 'print what was written as JSON' },
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
