import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { sha256 } from '../../core/sha256.ts';
import { SealError, type Sealed } from './manifest.ts';

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

/** Reads a private key. `from` names it in the message of the SealError if it is invalid or encrypted. */
export function signingKey(pem: string, from: string): KeyObject {
  expectUnencrypted(pem, from);
  return ed25519(() => createPrivateKey(pem), `${from} holds no Ed25519 private key in PEM (PKCS#8)`);
}

/**
 * Reads a public key, or derives it from a private key. `from` names the source in the message of the
 * SealError if it is neither.
 */
export function verifyingKey(pem: string, from: string): KeyObject {
  expectUnencrypted(pem, from);
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
