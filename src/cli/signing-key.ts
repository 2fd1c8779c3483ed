import { readRegularFile } from '../core/regular-file.ts';
import { describeSystemError } from '../core/system-error.ts';
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
  return signingKey(readKeyFile(file, 'signing key'), file);
}

const MAX_KEY_BYTES = 65_536;

/** The text of a key file. `what` names it in the SealError that is thrown where it cannot be read. */
export function readKeyFile(file: string, what: string): string {
  try {
    return readRegularFile(file, MAX_KEY_BYTES).toString('utf8');
  } catch (error) {
    throw new SealError(`the ${what} ${file} cannot be read: ${describeSystemError(error)}`);
  }
}
