import { readFileSync } from 'node:fs';
import path from 'node:path';
import { mapStrings } from '../core/json-text.ts';
import { jwtOf } from '../core/jwt.ts';
import { packageDigest } from '../core/package-file.ts';
import type { Json, RequirementResult } from '../core/results.ts';
import { parseUserSchema } from '../core/schemas/user-schema.ts';
import { sha256 } from '../core/sha256.ts';
import { UserError } from '../core/user-error.ts';
import type { EvidenceSetting } from '../evidence/line.ts';
import type { Redactor } from '../evidence/redaction/redactor.ts';
import { type Restorer, secretFactsOf, tokenFactsOf } from '../evidence/secret-facts.ts';
import type { JudgeOptions } from '../judge/context.ts';
import { adoptSchema } from '../provider/schemas.ts';
import { secretsOf, type Target } from '../target/target.ts';

/** The options of a run that determine the requests and the judgement of the answers. */
export interface RecordedOptions extends JudgeOptions {
  /** Identifiers of the requirements to test; all if empty. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  /** The recorded order of checks in Playwright, where they run sequentially; null or absent if they ran in parallel. */
  readonly inTurn?: readonly Turn[] | null;
  /** Number after which the token labels of this target start, if each target has its own range. */
  readonly tokensBefore?: number;
}

/** A check with its list; null for a check that has none. */
export type CheckedList = Pick<RequirementResult, 'id' | 'resource'>;

/** A check that ran alone, with its list (null if it has none); {@link OBSERVATIONS} for the observations. */
export type Turn = readonly [id: string, list: string | null];

/** Entry for the observations of a target in the order of checks. */
export const OBSERVATIONS = 'observations';

/** Token labels reserved for a shard, or for a target in Playwright, so that evidence can be merged. */
export const TOKENS_PER_PROCESS = 1_000_000;

/**
 * The settings of a target for evidence: without secrets and key paths, with complete schemas.
 *
 * @param isSuite whether the checks are the conformance suite
 */
export function settingOf(
  target: Target,
  { suite, only, skip, seed, runs, expiry, inTurn = null, tokensBefore = 0 }: RecordedOptions,
  redactor: Redactor,
  isSuite: boolean,
): EvidenceSetting {
  const kept = { ...target, tls: { ca: null, cert: null, key: null } };
  const schemas = target.resources
    .map(({ itemSchema }) => itemSchema)
    .filter((schema) => path.isAbsolute(schema))
    .map((schema) => [schema, parseUserSchema(schema) as Json] as const);
  const redacted = (members: object): EvidenceSetting['target'] =>
    mapStrings(
      members as EvidenceSetting['target'],
      (text) => redactor.redact(text),
      (name) => name,
    );
  return {
    target: {
      ...redacted(kept),
      // Names are kept, also where a secret happens to be the same word: a replay looks them up.
      resources: target.resources.map((resource) => {
        const { name, idField, itemSchema } = resource;
        const schema = path.isAbsolute(itemSchema) ? redactor.redact(itemSchema) : itemSchema;
        return { ...redacted(resource), name, idField, itemSchema: schema };
      }),
    },
    options: { suite, only, skip, seed, runs, expiry, inTurn, tokensBefore },
    secrets: secretsOf(target).map(({ secret, label }) =>
      // A check reads the expiry time of the expired token; a header may be a secret only because it holds a JWT.
      label === 'expired-token' || jwtOf(secret) !== null
        ? tokenFactsOf(secret, label)
        : secretFactsOf(secret, label),
    ),
    schemas: Object.fromEntries(schemas),
    build: isSuite ? packageDigest() : null,
    ownChecks: Object.fromEntries(target.checks.map((file) => [file, sha256(readFileSync(file))])),
  };
}

/**
 * Reads the target and the options of a setting, with placeholders for secrets.
 *
 * @throws UserError if a secret is a part of a URL, which the placeholder spoils
 */
export function readSetting(
  setting: EvidenceSetting,
  restorer: Restorer,
): { readonly target: Target; readonly options: RecordedOptions } {
  for (const facts of setting.secrets) restorer.learn(facts);
  for (const [name, schema] of Object.entries(setting.schemas)) adoptSchema(name, schema);
  const target = restorer.value(setting.target) as unknown as Target;
  for (const key of ['authUrl', 'baseUrl'] as const)
    if (!URL.canParse(target[key]))
      throw new UserError(
        `the run cannot be replayed: a secret is a part of ${key}, which the evidence holds without it`,
      );
  return {
    target,
    options: setting.options as unknown as RecordedOptions,
  };
}
