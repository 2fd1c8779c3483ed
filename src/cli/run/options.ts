import { randomInt } from 'node:crypto';
import path from 'node:path';
import { matchIds } from '../../../specs/catalogue.ts';
import { type Shard, SUITES } from '../../core/results.ts';
import { sha256 } from '../../core/sha256.ts';
import { FORMATS } from '../../report/formats/table.ts';
import { shardSeed } from '../../run/conform-options.ts';
import { type Arguments, UsageError } from '../command.ts';
import {
  decimal,
  flag,
  manyOf,
  oneOf,
  positionals,
  readTolerance,
  text,
  texts,
  wholeNumber,
} from '../shared/options.ts';

const MAX_SHARDS = 1000;

export type RunOptions = Readonly<ReturnType<typeof readRunOptions>>;

export function readRunOptions(args: Arguments) {
  const suite = oneOf(args, 'suite', SUITES) ?? 'full';
  const all = positionals(args, 'target');
  const shard = readShard(args);
  if (text(args, 'issuer') !== null && suite !== 'certify')
    throw new UsageError('--issuer is for certificates: add --suite certify, or leave it out');
  if (shard !== null && all.length === 0) throw new UsageError('--shard needs target files to divide');
  return {
    files: shard === null ? all : shardMembers(all, shard),
    envFile: text(args, 'env'),
    /** The part of the run for this process; null for all. */
    shard: shard === null ? null : { ...shard, files: digestOfList(all) },
    suite,
    /** Identifiers and globs; all requirements if empty. Those of custom checks are known when the targets are read. */
    only: texts(args, 'only'),
    skip: texts(args, 'skip'),
    seed:
      wholeNumber(args, 'seed', { least: 0, most: 0xffff_ffff }) ??
      (shard === null ? randomInt(2 ** 31) : shardSeed(all)),
    seeded: args['seed'] !== undefined,
    runs: wholeNumber(args, 'runs', { least: 0, most: 10_000 }),
    formats: manyOf(args, 'format', FORMATS),
    out: text(args, 'out'),
    ...readTolerance(args, suite),
    maxRequests: wholeNumber(args, 'max-requests', { least: 1, most: 10_000_000 }),
    rate: decimal(args, 'rate', { least: 0.01, most: 100_000 }),
    expiry: flag(args, 'expiry'),
    /** An earlier run whose failures are accepted; null for none. */
    baseline: text(args, 'baseline'),
    /** File of the key to sign the run with; null for ASSAY_SIGNING_KEY or no signature. */
    sign: text(args, 'sign'),
    issuer: text(args, 'issuer'),
    quiet: flag(args, 'quiet'),
    json: flag(args, 'json'),
  };
}

/** Throws UsageError if `skip` leaves out all identifiers of `only`. */
export function expectSelection(
  { only, skip }: Pick<RunOptions, 'only' | 'skip'>,
  customIds: readonly string[],
): void {
  const all = only.length > 0 ? only : [...matchIds(['*']), ...customIds];
  if (!all.every((id) => skip.includes(id))) return;
  const what = only.length > 0 ? 'everything that --only selects' : 'everything';
  throw new UsageError(`--skip leaves out ${what}, so there is nothing to test`);
}

/** Reads `--shard I/N`; null if not given. Throws UsageError if invalid. */
function readShard(args: Arguments): Shard | null {
  const given = text(args, 'shard');
  if (given === null) return null;
  const [, index, of] = /^(\d{1,4})\/(\d{1,4})$/u.exec(given) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (shard.index >= 1 && shard.index <= shard.of && shard.of <= MAX_SHARDS) return shard;
  throw new UsageError(`--shard takes I/N, such as 1/4, with N at most ${MAX_SHARDS}, not "${given}"`);
}

/** Every N-th member, so that adjacent ones, which are often similar, are in different shards. */
function shardMembers<Member>(all: readonly Member[], shard: Shard): readonly Member[] {
  const share = all.filter((_member, place) => place % shard.of === shard.index - 1);
  if (share.length > 0) return share;
  const targets = all.length === 1 ? 'is one target' : `are ${all.length} targets`;
  throw new UsageError(`--shard ${shard.index}/${shard.of} has no target: there ${targets}`);
}

/** Identifies the shards of one run. The common part of the paths is left out: it may differ between machines. */
function digestOfList(files: readonly string[]): string {
  const all = files.map((file) => path.resolve(file).split(path.sep));
  const [first = []] = all;
  const differs = first.findIndex((part, place) => all.some((one) => one[place] !== part));
  const common = Math.min(differs < 0 ? first.length : differs, ...all.map((one) => one.length - 1));
  return sha256(all.map((one) => one.slice(common).join('/')).join('\n'));
}
