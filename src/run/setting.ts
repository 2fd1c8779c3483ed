import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '../core/results.ts';
import type { EvidenceSetting } from '../evidence/line.ts';
import type { Redactor } from '../evidence/redactor.ts';
import type { Restorer } from '../evidence/restorer.ts';
import { secretFactsOf, tokenFactsOf } from '../evidence/secret-facts.ts';
import { mapStrings } from '../evidence/strings.ts';
import type { Check } from '../judge/check.ts';
import { adoptSchema } from '../provider/schemas.ts';
import { secretsOf } from '../target/secrets.ts';
import type { Target } from '../target/target.ts';
import type { ConformOptions } from './conform.ts';

/** The options that decide what is asked and how it is judged. */
export interface ReplayedOptions
  extends Pick<ConformOptions, 'suite' | 'only' | 'skip' | 'seed' | 'runs' | 'expiry'> {
  /** Whether the checks ran one after the other, each in a test of Playwright's. */
  readonly inTurn?: boolean;
  /** Labels of tokens that other targets have, where each target has labels of its own: `token-1` follows beyond these. */
  readonly tokensBefore?: number;
}

/** Labels of tokens that a shard, or a target in Playwright, has for itself, so that evidence can be joined. */
export const TOKENS_APART = 1_000_000;

/**
 * What a target is judged with, as evidence keeps it: no secrets, no paths of keys, schemas in full. `checks` is null
 * where they were compiled otherwise than for a replay, so that nobody could compare them.
 */
export function settingOf(
  target: Target,
  { suite, only, skip, seed, runs, expiry, inTurn = false, tokensBefore = 0 }: ReplayedOptions,
  redactor: Redactor,
  checks: readonly Check[] | null,
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
    checks: checks === null ? {} : digestsOf(checks),
  };
}

/** What tells one version of a check from another, by requirement: a digest of its rule and its code. */
export function digestsOf(checks: readonly Check[]): EvidenceSetting['checks'] {
  const known = DIGESTS.get(checks);
  if (known !== undefined) return known;
  const digests = Object.fromEntries(
    checks.map(({ requirement, judge }) => {
      const text = `${requirement.rule}\n${judge.toString()}`;
      return [requirement.id, createHash('sha256').update(text).digest('hex').slice(0, 16)];
    }),
  );
  DIGESTS.set(checks, digests);
  return digests;
}

/** Digests that were made already: all targets of a run are judged by one suite. */
const DIGESTS = new WeakMap<readonly Check[], EvidenceSetting['checks']>();

/** The target and the options of a setting, with stand-ins for secrets. */
export function fromSetting(
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
