import { createPrivateKey, X509Certificate } from 'node:crypto';
import { FileRefusedError, readRegularFile } from '../core/files.ts';
import { describeSystemError } from '../core/system-error.ts';

const MAX_PEM_BYTES = 4_194_304;

/** Throws FileRefusedError if the file contains no PEM text or is refused; Node's error if it cannot be opened. */
export function readPem(file: string): string {
  const text = readRegularFile(file, MAX_PEM_BYTES).toString('utf8');
  if (!text.includes('-----BEGIN ')) throw new FileRefusedError('it contains no PEM text');
  return text;
}

/** Whether a private key belongs to a certificate; true if one of the files cannot be used, which {@link pemProblem} reports. */
export function isKeyOf(certFile: string, keyFile: string): boolean {
  try {
    return new X509Certificate(readPem(certFile)).checkPrivateKey(createPrivateKey(readPem(keyFile)));
  } catch {
    return true;
  }
}

/** Why a file cannot be used as this key of `tls`, as a clause; null if it can. */
export function pemProblem(key: string, file: string): string | null {
  let text: string;
  try {
    text = readPem(file);
  } catch (error) {
    return describeSystemError(error);
  }
  try {
    if (key === 'key') createPrivateKey(text);
    else new X509Certificate(text);
    return null;
  } catch {
    return key === 'key'
      ? 'it contains no private key in PEM form without a passphrase'
      : 'it contains no certificate in PEM form';
  }
}
