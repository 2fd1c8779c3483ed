import type { EvidenceUses, Exchange, HttpAnswer } from '../core/exchange.ts';
import { isJsonObject } from '../core/json-text.ts';
import type { Json } from '../core/results.ts';
import { UserError } from '../core/user-error.ts';
import type { SecretFacts } from './secret-facts.ts';
import {
  isCount,
  isNumber,
  isText,
  listOf,
  mapOf,
  nullable,
  objectWith,
  optional,
  type Shape,
} from './shape.ts';

/** An exchange without secrets: only such are written. */
export interface RecordedExchange extends Exchange {
  readonly redacted: true;
}

/** One line of evidence.ndjson.gz, its body included. */
export interface EvidenceEntry {
  readonly target: string;
  readonly exchange: RecordedExchange;
  /** The requirement whose check sent the request; null if no check sent it. */
  readonly check: string | null;
  /** Tokens that first occurred in this exchange, or since the previous one. */
  readonly tokens: readonly SecretFacts[];
  /** SHA-256 of the recorded answer body in hexadecimal; null without an answer. */
  readonly bodyHash: string | null;
}

export const EVIDENCE_FORMAT = 'assay-evidence/1';

/** Facts about a body. The bytes are in `body`, or in an earlier line with the same hash. */
interface BodyFacts {
  readonly sha256: string;
  /** Length of the recorded body in bytes: decoded, secrets replaced by labels. */
  readonly bytes: number;
  readonly bytesOnWire: number;
}

/** The bytes of a body: as text if they are UTF-8, otherwise, or if large and full of escapes, as base64. */
type BodyContent = { readonly text: string } | { readonly base64: string };

/** One line of evidence.ndjson.gz; schemas/evidence.schema.json describes it. */
export interface EvidenceLine extends Omit<Exchange, 'startedAt' | 'answer'> {
  readonly format: typeof EVIDENCE_FORMAT;
  readonly target: string;
  /** The requirement whose check sent the request. */
  readonly check: string | null;
  /** ISO 8601, UTC, with milliseconds. */
  readonly startedAt: string;
  readonly answer: (Omit<HttpAnswer, 'body' | 'bodyBytesOnWire'> & { readonly body: BodyFacts }) | null;
  /** Facts about the tokens that first occur in this exchange. */
  readonly tokens: readonly SecretFacts[];
  /** Null without an answer, or if an earlier line contains the same body. */
  readonly body: BodyContent | null;
}

/** The input of testing a target, so that a replay can repeat the test. */
export interface EvidenceSetting {
  /** The target; secrets are replaced by labels. */
  readonly target: { readonly [name: string]: Json };
  /** Suite, seed, runs, expiry and selected identifiers. */
  readonly options: { readonly [name: string]: Json };
  readonly secrets: readonly SecretFacts[];
  /** The target's own JSON Schemas, by the name that its resources use. */
  readonly schemas: { readonly [name: string]: Json };
  /** Digest of the build whose suite was run; null if other checks replaced it. Absent in earlier versions. */
  readonly build?: string | null;
  /** SHA-256 of each custom check module, by path. Absent in evidence of earlier versions. */
  readonly ownChecks?: { readonly [file: string]: string };
}

export interface SettingLine {
  readonly format: typeof EVIDENCE_FORMAT;
  readonly target: string;
  readonly setting: EvidenceSetting;
}

/** Written after the target is tested. */
export interface UsesLine {
  readonly format: typeof EVIDENCE_FORMAT;
  readonly target: string;
  readonly uses: EvidenceUses;
}

/** Characters of the longest secret: a target file may allow token answers of as many bytes. */
const MAX_SECRET_CHARACTERS = 16_777_216;

/** What an entry alone does not tell. */
export interface EvidenceIndex {
  readonly uses: ReadonlyMap<string, EvidenceUses>;
  /** The exchanges whose bodies are in an earlier line, in the order of the file. */
  readonly repetitions: readonly Repetition[];
}

export interface Repetition {
  readonly target: string;
  readonly number: number;
  readonly sha256: string;
}

/** Evidence cannot be written or read. The message is one sentence that names the file. */
export class EvidenceError extends UserError {
  override readonly name = 'EvidenceError';
}

/** A stand-in of this length is made for each secret. */
const isSecretLength: Shape = (value) => isCount(value) && value <= MAX_SECRET_CHARACTERS;
const isSecret = objectWith({ label: isText, length: isSecretLength });
const areHeaders = listOf((one) => Array.isArray(one) && one.length === 2 && one.every(isText));
const isSetting = objectWith({
  target: isJsonObject,
  options: objectWith({
    suite: isText,
    only: listOf(isText),
    skip: listOf(isText),
    seed: isNumber,
    runs: optional(isCount),
    inTurn: optional(listOf((turn) => Array.isArray(turn) && isText(turn[0]))),
    tokensBefore: optional(isCount),
  }),
  schemas: isJsonObject,
  secrets: listOf(isSecret),
  build: optional(isText),
  ownChecks: optional(mapOf(isText)),
});
const areUses = mapOf(listOf(listOf(isCount)));
const isExchange = objectWith({
  number: isCount,
  startedAt: (value) => isText(value) && !Number.isNaN(Date.parse(value as string)),
  durationMs: isNumber,
  retry: isCount,
  request: objectWith({
    method: isText,
    origin: isText,
    target: isText,
    headers: areHeaders,
    body: nullable(isText),
  }),
  answer: nullable(
    objectWith({
      status: isCount,
      statusText: isText,
      headers: areHeaders,
      body: objectWith({ sha256: isText, bytes: isCount }),
    }),
  ),
  failure: nullable(objectWith({ code: isText, message: isText })),
  tokens: optional(listOf(isSecret)),
});

/** Whether a value has the members that are read, except its body. schemas/evidence.schema.json is stricter. */
export function isLine(value: unknown): value is EvidenceLine | SettingLine | UsesLine {
  if (!isJsonObject(value) || value['format'] !== EVIDENCE_FORMAT || !isText(value['target'])) return false;
  if ('setting' in value) return isSetting(value['setting']);
  if ('uses' in value) return areUses(value['uses']);
  return isExchange(value) && (value['answer'] === null) !== (value['failure'] === null);
}
