import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Json, Suite } from '../core/results.ts';
import type { EvidenceSetting } from '../evidence/line.ts';
import { mapStrings } from '../evidence/map-strings.ts';
import type { Redactor } from '../evidence/redactor.ts';
import type { Restorer } from '../evidence/restorer.ts';
import { sha256 } from '../evidence/seal/manifest.ts';
import { packageDigest } from '../evidence/seal/package-digest.ts';
import { secretFactsOf, tokenFactsOf } from '../evidence/secret-facts.ts';
import { adoptSchema } from '../provider/schemas.ts';
import { secretsOf } from '../target/secrets.ts';
import type { Target } from '../target/target.ts';

/** The options of a run that decide what is asked. */
export interface JudgingOptions {
  readonly suite: Suite;
  /** Identifiers to judge; all where empty. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  /** 32-bit integer. */
  readonly seed: number;
  /** Random cases per property; null for the suite's own number. */
  readonly runs: number | null;
  readonly expiry: boolean;
}

/** Everything that decides what is asked and how it is judged. */
export interface ReplayedOptions extends JudgingOptions {
  /** Whether the checks ran one after the other, each in a test of Playwright's. */
  readonly inTurn?: boolean;
  /** Labels of tokens that other targets have, where each target has labels of its own: `token-1` follows beyond these. */
  readonly tokensBefore?: number;
}

/** Labels of tokens that a shard, or a target in Playwright, has for itself, so that evidence can be joined. */
export const TOKENS_PER_PROCESS = 1_000_000;

/**
 * What a target is judged with, as evidence keeps it: no secrets, no paths of keys, schemas in full.
 *
 * @param isSuite whether the checks are those of the conformance suite
 */
export function settingOf(
  target: Target,
  { suite, only, skip, seed, runs, expiry, inTurn = false, tokensBefore = 0 }: ReplayedOptions,
  redactor: Redactor,
  isSuite: boolean,
): EvidenceSetting {
  const kept = { ...target, tls: { ca: null, cert: null, key: null } };
  const schemas = target.resources
    .map(({ itemSchema }) => itemSchema)
    .filter((schema) => path.isAbsolute(schema))
    .map((schema) => [schema, JSON.parse(readFileSync(schema, 'utf8')) as Json] as const);
  return {
    target: mapStrings(kept as unknown as { readonly [name: string]: Json }, (text) => redactor.redact(text)),
    options: { suite, only, skip, seed, runs, expiry, inTurn, tokensBefore },
    secrets: secretsOf(target).map(({ secret, label }) =>
      // Of the token of the target file a check reads when it ended.
      label === 'expired-token' ? tokenFactsOf(secret, label) : secretFactsOf(secret, label),
    ),
    schemas: Object.fromEntries(schemas),
    build: isSuite ? packageDigest() : null,
    ownChecks: Object.fromEntries(target.checks.map((file) => [file, sha256(readFileSync(file))])),
  };
}

/** The target and the options of a setting, with stand-ins for secrets. */
export function readSetting(
  setting: EvidenceSetting,
  restorer: Restorer,
): { readonly target: Target; readonly options: ReplayedOptions } {
  for (const facts of setting.secrets) restorer.learn(facts);
  for (const [name, schema] of Object.entries(setting.schemas)) adoptSchema(name, schema);
  return {
    target: restorer.value(setting.target) as unknown as Target,
    options: setting.options as unknown as ReplayedOptions,
  };
}
