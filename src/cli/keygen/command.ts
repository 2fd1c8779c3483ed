import type { Command } from '../command.ts';

/** `assay keygen`: makes a signing key pair. */
export const keygenCommand: Command = {
  name: 'keygen',
  usage: 'keygen [name]',
  summary: 'Makes a signing key pair (Ed25519): NAME.key, which only you may read, and NAME.pub',
  positionals: { name: { type: 'string', describe: 'where to write them; assay-signing unless given' } },
  options: {
    json: { type: 'boolean', describe: 'the files and the key, as JSON' },
  },
  examples: [['assay keygen acme', 'acme.key for --sign, acme.pub for whoever verifies']],
  execute: async (args, host) => (await import('./action.ts')).performKeygen(args, host),
};
