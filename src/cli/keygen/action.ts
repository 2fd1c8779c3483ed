import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { jsonText } from '../../core/json-text.ts';
import { describeSystemError } from '../../core/system-error.ts';
import { makeKeyPair } from '../../evidence/seal/keys.ts';
import { visible } from '../../report/wording/safe-text.ts';
import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { flag, text } from '../shared/options/arguments.ts';
import { EXIT, type ExitStatus, UsageError } from '../shared/process/exit-status.ts';

/**
 * Runs `assay keygen`.
 *
 * @throws UsageError if either file exists, or cannot be written
 */
export async function performKeygen(args: Arguments, host: Host): Promise<ExitStatus> {
  const name = text(args, 'name') ?? 'assay-signing';
  if (['', '.', '..'].includes(name.split(/[\\/]/u).at(-1) ?? ''))
    throw new UsageError(`assay keygen needs the name of a file, not of a folder: ${name}`);
  const [privateFile, publicFile] = [`${name}.key`, `${name}.pub`];
  for (const file of [privateFile, publicFile])
    if (existsSync(file)) throw new UsageError(`${file} exists already; choose another name`);
  const pair = makeKeyPair();
  // Created with mode 0600; never overwrites a file.
  try {
    await writeFile(privateFile, pair.privatePem, { mode: 0o600, flag: 'wx' });
    await writeFile(publicFile, pair.publicPem, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`cannot write the keys ${name}: ${describeSystemError(error)}`);
  }
  if (flag(args, 'json')) {
    host.out.write(`${jsonText({ secret: privateFile, public: publicFile, id: pair.id })}\n`);
    return EXIT.ok;
  }
  host.out.write(
    `Written: ${visible(privateFile)} (keep it secret) and ${visible(publicFile)}; key ${pair.id.slice(0, 16)}\n`,
  );
  return EXIT.ok;
}
