import { existsSync, rmSync } from 'node:fs';
import { visible } from '../../core/visible-text.ts';
import { type Command, EXIT, UsageError } from '../command.ts';
import { writeNewFile } from '../shared/new-file.ts';
import { printFacts, text } from '../shared/options.ts';

export const keygenCommand: Command = {
  name: 'keygen',
  usage: 'keygen [name]',
  summary: 'Makes a signing key pair (Ed25519): NAME.key, readable only by you, and NAME.pub',
  positionals: {
    name: { describe: 'name of the two files; default: assay-signing', values: 'file' },
  },
  options: { json: { describe: 'print the files and the id of the key as JSON' } },
  examples: [['assay keygen acme', 'acme.key for --sign, acme.pub for assay verify --key']],
  execute: async (args, host) => {
    const name = text(args, 'name') ?? 'assay-signing';
    if (['', '.', '..'].includes(name.split(/[\\/]/u).at(-1) ?? ''))
      throw new UsageError(`assay keygen needs the name of a file, not of a folder: ${name}`);
    const [privateFile, publicFile] = [`${name}.key`, `${name}.pub`];
    for (const file of [privateFile, publicFile])
      if (existsSync(file)) throw new UsageError(`${file} exists already; choose another name`);
    const { makeKeyPair } = await import('../../evidence/seal/signature.ts');
    const pair = makeKeyPair();
    // Created with mode 0600; never overwrites a file.
    writeNewFile(privateFile, pair.privatePem, { mode: 0o600, flag: 'wx' });
    try {
      writeNewFile(publicFile, pair.publicPem, { flag: 'wx' });
    } catch (error) {
      rmSync(privateFile);
      throw error;
    }
    const files = `${visible(privateFile)} (keep it secret) and ${visible(publicFile)}`;
    const words = `Written: ${files}; key ${pair.id.slice(0, 16)}\n`;
    printFacts({ secret: privateFile, public: publicFile, id: pair.id }, words, args, host);
    return EXIT.ok;
  },
};
