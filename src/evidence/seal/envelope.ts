import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { FILE_NAMES } from '../../core/file-names.ts';
import { sha256 } from '../../core/sha256.ts';
import { keyIdOf } from './keys.ts';
import { type Manifest, SealError } from './manifest.ts';

/** Type of the payload, as DSSE names it. */
const PAYLOAD_TYPE = 'application/vnd.in-toto+json';
/** Type of the predicate: the manifest. */
const PREDICATE_TYPE = 'https://assay.invalid/attestation/run/v1';
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

interface Envelope {
  readonly payloadType: string;
  /** Base64. */
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** An in-toto Statement about the files of a run. */
interface Statement {
  readonly _type: string;
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[];
  readonly predicateType: string;
  readonly predicate: unknown;
}

/**
 * The text of manifest.sig: a DSSE envelope over an in-toto Statement whose subjects are the manifest and every file
 * that it lists.
 */
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

/**
 * Checks that an envelope was signed by the key, matches the manifest and is unchanged.
 *
 * @throws SealError with a sentence that names manifest.sig
 */
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
