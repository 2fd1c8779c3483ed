import path from 'node:path';
import type { Shard } from '../../core/results.ts';
import { sha256 } from '../../evidence/seal/manifest.ts';
import type { Arguments } from '../command.ts';
import { text } from '../shared/arguments.ts';
import { UsageError } from '../shared/usage-error.ts';

const MAX_SHARDS = 1000;

/** Reads `--shard I/N`; null if not given. Throws UsageError if invalid. */
export function readShard(args: Arguments): Shard | null {
  const given = text(args, 'shard');
  if (given === null) return null;
  const [, index, of] = /^(\d{1,4})\/(\d{1,4})$/u.exec(given) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (shard.index >= 1 && shard.index <= shard.of && shard.of <= MAX_SHARDS) return shard;
  throw new UsageError(`--shard takes I/N, such as 1/4, with N at most ${MAX_SHARDS}, not "${given}"`);
}

/**
 * The members of a shard: every N-th, so that adjacent ones, which are often similar, are in different
 * shards.
 *
 * @throws UsageError if the shard is empty
 */
export function shardMembers<Member>(all: readonly Member[], shard: Shard): readonly Member[] {
  const share = all.filter((_member, place) => place % shard.of === shard.index - 1);
  if (share.length > 0) return share;
  const targets = all.length === 1 ? 'one target' : `${all.length} targets`;
  throw new UsageError(`--shard ${shard.index}/${shard.of} has no target: there is ${targets}`);
}

/**
 * A digest of all target files that identifies the shards of one run. Excludes the common part of their
 * paths, which may differ between machines.
 */
export function digestOfList(files: readonly string[]): string {
  const all = files.map((file) => path.resolve(file).split(path.sep));
  const [first = []] = all;
  const differs = first.findIndex((part, place) => all.some((one) => one[place] !== part));
  const common = Math.min(differs < 0 ? first.length : differs, ...all.map((one) => one.length - 1));
  return sha256(all.map((one) => one.slice(common).join('/')).join('\n'));
}
