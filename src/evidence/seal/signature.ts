import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { FILE_NAMES } from '../../core/file-names.ts';
import { readRegularFile } from '../../core/files.ts';
import { sha256 } from '../../core/sha256.ts';
import { describeSystemError } from '../../core/system-error.ts';
import { type Manifest, SealError, type Sealed } from './manifest.ts';

const MAX_KEY_BYTES = 65_536;

export function makeKeyPair() {
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

/** Reads a key file; `what` names the key in the SealError if it cannot be read. */
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

/** Parses a public key; refuses a private one, which must stay with the signer. `from` names it in the SealError. */
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

/** Type of the payload, as DSSE names it. */
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** Type of the predicate: the manifest. */
const PREDICATE_TYPE = 'https://assay.invalid/attestation/run/v1';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

interface Statement {
  readonly _type: string;
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicateType: string;
  readonly predicate: unknown;
}

/** manifest.sig: a DSSE envelope over an in-toto Statement about the manifest and every file that it lists. */
export function signManifest(manifest: string, key: KeyObject): string {
  const payload = Buffer.from(JSON.stringify(statementOf(manifest)));
  const envelope: Envelope = {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [
      {
        keyid: keyIdOf(createPublicKey(key)),
        sig: sign(null, preAuthenticationEncoding(PAYLOAD_TYPE, payload), key).toString('base64'),
      },
    ],
  };
  return textOf(envelope);
}

/** Throws SealError unless the envelope was signed by the key, matches the manifest and is unchanged. */
export function expectSigned(envelopeText: string, manifest: string, key: KeyObject): void {
  const envelope = readEnvelope(envelopeText);
  const [signature, ...more] = envelope.signatures;
  if (signature === undefined || more.length > 0)
    throw new SealError(`${FILE_NAMES.signature} does not hold one signature`);
  const own = keyIdOf(key);
  if (signature.keyid !== own)
    throw new SealError(
      `${FILE_NAMES.signature} was made by the key ${short(signature.keyid)}, not by ${short(own)}`,
    );
  const payload = Buffer.from(envelope.payload, 'base64');
  const signed = preAuthenticationEncoding(envelope.payloadType, payload);
  if (!verify(null, signed, key, Buffer.from(signature.sig, 'base64')))
    throw new SealError(`${FILE_NAMES.signature} is not a signature of that key`);
  if (payload.toString('utf8') !== JSON.stringify(statementOf(manifest)))
    throw new SealError(`${FILE_NAMES.signature} was made for another ${FILE_NAMES.manifest}`);
}

/** The bytes that are signed (DSSE, version 1). */
export function preAuthenticationEncoding(type: string, payload: Uint8Array): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

function statementOf(text: string): Statement {
  const manifest = JSON.parse(text) as Manifest;
  return {
    _type: STATEMENT_TYPE,
    subject: [
      { name: FILE_NAMES.manifest, digest: { sha256: sha256(text) } },
      ...Object.entries(manifest.files).map(([name, file]) => ({ name, digest: { sha256: file.sha256 } })),
    ],
    predicateType: PREDICATE_TYPE,
    predicate: manifest,
  };
}

// Unused bits of base64 and blanks of JSON could change without invalidating the signature, so only the
// canonical text is accepted.
function readEnvelope(text: string): Envelope {
  let envelope: Envelope;
  try {
    envelope = JSON.parse(text) as Envelope;
    const canonical: Envelope = {
      payloadType: envelope.payloadType,
      payload: Buffer.from(envelope.payload, 'base64').toString('base64'),
      signatures: envelope.signatures.map(({ keyid, sig }) => ({
        keyid,
        sig: Buffer.from(sig, 'base64').toString('base64'),
      })),
    };
    if (textOf(canonical) === text) return envelope;
  } catch {
    throw new SealError(`${FILE_NAMES.signature} is no DSSE envelope`);
  }
  throw new SealError(`${FILE_NAMES.signature} was changed after it was written`);
}

function textOf(envelope: Envelope): string {
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

function short(id: string): string {
  return /^[0-9a-f]{16,}$/.test(id) ? id.slice(0, 16) : 'of no key';
}
