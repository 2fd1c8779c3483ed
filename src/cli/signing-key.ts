import { readFile } from 'node:fs/promises';
import { systemWords } from '../core/system-words.ts';
import { signingKey } from '../evidence/seal/keys.ts';
import { SealError } from '../evidence/seal/manifest.ts';
import type { SigningKey } from '../evidence/seal/seal-run.ts';
import type { Host } from './host.ts';

/** The key that a run is signed with: that of the file named, or ASSAY_SIGNING_KEY; null where there is neither. */
export async function readSigningKey(file: string | null, env: Host['env']): Promise<SigningKey | null> {
  if (file === null) {
    const pem = env['ASSAY_SIGNING_KEY'] ?? '';
    return pem === '' ? null : signingKey(pem, 'ASSAY_SIGNING_KEY');
  }
  const pem = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new SealError(`the signing key ${file} cannot be read: ${systemWords(error)}`);
  });
  return signingKey(pem, file);
}
