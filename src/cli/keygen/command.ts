import type { Command } from '../command.ts';

/** `assay keygen`: makes a signing key pair. */
export const keygenCommand: Command = {
  name: 'keygen',
  usage: 'keygen [name]',
  summary: 'Makes a signing key pair (Ed25519): NAME.key, readable only by you, and NAME.pub',
  positionals: {
    name: { type: 'string', describe: 'name of the two files; default: assay-signing', values: 'file' },
  },
  options: { json: { type: 'boolean', describe: 'print the files and the id of the key as JSON' } },
  examples: [['assay keygen acme', 'acme.key for --sign, acme.pub for assay verify --key']],
  execute: async (args, host) => (await import('./action.ts')).performKeygen(args, host),
};
