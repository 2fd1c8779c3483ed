import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { jsonText } from '../../core/json-text.ts';
import { describeSystemError } from '../../core/system-error.ts';
import { makeKeyPair } from '../../evidence/seal/keys.ts';
import { visible } from '../../report/safe-text.ts';
import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { flag, text } from '../shared/arguments.ts';
import { EXIT, type ExitStatus } from '../shared/exit-status.ts';
import { UsageError } from '../shared/usage-error.ts';

/**
 * Carries out `assay keygen`.
 *
 * @throws UsageError if either file exists, or cannot be written
 */
export async function performKeygen(args: Arguments, host: Host): Promise<ExitStatus> {
  const name = text(args, 'name') ?? 'assay-signing';
  if (['', '.', '..'].includes(name.split(/[\\/]/u).at(-1) ?? ''))
    throw new UsageError(`assay keygen needs the name of a file, not of a folder: ${name}`);
  const [secret, open] = [`${name}.key`, `${name}.pub`];
  for (const file of [secret, open])
    if (existsSync(file)) throw new UsageError(`${file} exists already; choose another name`);
  const pair = makeKeyPair();
  // Created with mode 0600, and never over an existing file.
  try {
    await writeFile(secret, pair.privatePem, { mode: 0o600, flag: 'wx' });
    await writeFile(open, pair.publicPem, { flag: 'wx' });
  } catch (error) {
    throw new UsageError(`cannot write the keys ${name}: ${describeSystemError(error)}`);
  }
  if (flag(args, 'json')) {
    host.out.write(`${jsonText({ secret, public: open, id: pair.id })}\n`);
    return EXIT.ok;
  }
  host.out.write(
    `Written: ${visible(secret)} (keep it secret) and ${visible(open)}; key ${pair.id.slice(0, 16)}\n`,
  );
  return EXIT.ok;
}
