import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readRegularFile } from '../../core/files.ts';
import { sha256 } from '../../core/sha256.ts';
import { describeSystemError } from '../../core/system-error.ts';
import { SealError, type Sealed } from './manifest.ts';

const MAX_KEY_BYTES = 65_536;

interface KeyPair {
  readonly privatePem: string;
  readonly publicPem: string;
  readonly id: string;
}

/** Makes an Ed25519 key pair. */
export function makeKeyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { privatePem: privateKey, publicPem: publicKey, id: keyIdOf(createPublicKey(publicKey)) };
}

/** The key for signing a run: from the file, or from ASSAY_SIGNING_KEY; null without either. */
export function readSigningKey(file: string | null, env: NodeJS.ProcessEnv): KeyObject | null {
  if (file !== null) return signingKey(readKeyFile(file, 'signing key'), file);
  const pem = env['ASSAY_SIGNING_KEY'] ?? '';
  return pem === '' ? null : signingKey(pem, 'ASSAY_SIGNING_KEY');
}

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

/** Parses a private key. `from` names it in the message of the SealError if it is invalid or encrypted. */
export function signingKey(pem: string, from: string): KeyObject {
  expectUnencrypted(pem, from);
  return ed25519(() => createPrivateKey(pem), `${from} holds no Ed25519 private key in PEM (PKCS#8)`);
}

/**
 * Parses a public key. A private key is refused, since it must stay with the signer. `from` names the source in the
 * message of the SealError.
 */
export function verifyingKey(pem: string, from: string): KeyObject {
  if (/^-----BEGIN [A-Z ]*PRIVATE KEY-----/mu.test(pem))
    throw new SealError(
      `${from} holds a private key: use the public key, which assay keygen writes to a file that ends in .pub`,
    );
  return ed25519(() => createPublicKey(pem), `${from} holds no Ed25519 key in PEM (SPKI)`);
}

/** The id of a key: the SHA-256 of its SPKI in DER, in hexadecimal. */
export function keyIdOf(publicKey: KeyObject): string {
  return sha256(publicKey.export({ type: 'spki', format: 'der' }));
}

/** The `signer` member of a manifest, from the private key. */
export function signerOf(key: KeyObject): NonNullable<Sealed['signer']> {
  const publicKey = createPublicKey(key);
  return {
    id: keyIdOf(publicKey),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

// PKCS#8 marks encryption in its first line, older formats in a header.
function expectUnencrypted(pem: string, from: string): void {
  if (/^-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/mu.test(pem))
    throw new SealError(
      `${from} holds a private key that is encrypted: Assay asks for no passphrase, so decrypt it first (openssl pkey)`,
    );
}

function ed25519(read: () => KeyObject, message: string): KeyObject {
  let key: KeyObject;
  try {
    key = read();
  } catch {
    throw new SealError(message);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new SealError(message);
  return key;
}
