import { readRegularFile } from '../../../core/regular-file.ts';
import { describeSystemError } from '../../../core/system-error.ts';
import { signingKey } from '../../../evidence/seal/keys.ts';
import { SealError } from '../../../evidence/seal/manifest.ts';
import type { SigningKey } from '../../../evidence/seal/seal-run.ts';
import type { Host } from '../../host.ts';

/** The key for signing a run: from the file, or from ASSAY_SIGNING_KEY; null without either. */
export async function readSigningKey(file: string | null, env: Host['env']): Promise<SigningKey | null> {
  if (file === null) {
    const pem = env['ASSAY_SIGNING_KEY'] ?? '';
    return pem === '' ? null : signingKey(pem, 'ASSAY_SIGNING_KEY');
  }
  return signingKey(readKeyFile(file, 'signing key'), file);
}

const MAX_KEY_BYTES = 65_536;

/**
 * Reads a key file.
 *
 * @param what name of the key in the error message
 * @throws SealError if it cannot be read
 */
export function readKeyFile(file: string, what: string): string {
  try {
    return readRegularFile(file, MAX_KEY_BYTES).toString('utf8');
  } catch (error) {
    throw new SealError(`the ${what} ${file} cannot be read: ${describeSystemError(error)}`);
  }
}
