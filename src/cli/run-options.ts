import { randomInt } from 'node:crypto';
import { matchIds } from '../../specs/catalogue.ts';
import type { Shard, Suite } from '../core/results.ts';
import { FORMATS, type Format } from '../report/formats/table.ts';
import { commonSeed } from '../run/common-seed.ts';
import { decimal, flag, manyOf, oneOf, text, texts, wholeNumber } from './arguments.ts';
import type { Arguments } from './command.ts';
import type { Tolerance } from './exit-status.ts';
import { digestOfList, readShard, shareOf } from './shard.ts';
import { UsageError } from './usage-error.ts';

const SUITES: readonly Suite[] = ['smoke', 'full', 'certify'];
/** The options of `assay run`, read and complete. */
export interface RunOptions extends Tolerance {
  readonly files: readonly string[];
  readonly suite: Suite;
  /** Identifiers, globs resolved but for those of checks of the user's own; all where empty. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly seed: number;
  readonly runs: number | null;
  readonly formats: readonly Format[];
  readonly out: string | null;
  /** Which part of the run this process carries out; null for all of it. */
  readonly shard: Shard | null;
  readonly maxRequests: number | null;
  /** Requests per second. */
  readonly rate: number | null;
  readonly expiry: boolean;
  /** An earlier run whose failures are accepted; null for none. */
  readonly baseline: string | null;
  /** Whether --seed was given. */
  readonly seeded: boolean;
  /** File of the key that the run is signed with; null for ASSAY_SIGNING_KEY, or none. */
  readonly sign: string | null;
  /** Who certifies; null where nobody is named. */
  readonly issuer: string | null;
  readonly quiet: boolean;
  readonly json: boolean;
}

// Which checks of the user's own there are is known once the target files are read.
function known(globs: readonly string[]): readonly string[] {
  const isOwn = (glob: string): boolean => glob.startsWith('x/');
  return [...matchIds(globs.filter((glob) => !isOwn(glob))), ...globs.filter(isOwn)];
}

/**
 * Reads the options of `assay run`.
 *
 * @throws UsageError, UnknownIdError
 */
export function readRunOptions(args: Arguments): RunOptions {
  const suite = oneOf(args, 'suite', SUITES) ?? 'full';
  const files = args['target'];
  const all = Array.isArray(files) ? files.map(String) : [];
  const shard = readShard(args);
  if (shard !== null && all.length === 0)
    throw new UsageError('--shard divides target files among processes: name them');
  return {
    files: shard === null ? all : shareOf(all, shard),
    shard: shard === null ? null : { ...shard, files: digestOfList(all) },
    suite,
    only: known(texts(args, 'only')),
    skip: known(texts(args, 'skip')),
    seed:
      wholeNumber(args, 'seed', { least: 0, most: 0xffff_ffff }) ??
      (shard === null ? randomInt(2 ** 31) : commonSeed(all)),
    runs: wholeNumber(args, 'runs', { least: 1, most: 10_000 }),
    formats: manyOf(args, 'format', FORMATS),
    out: text(args, 'out'),
    ...readTolerance(args, suite),
    maxRequests: wholeNumber(args, 'max-requests', { least: 1, most: 1_000_000_000 }),
    rate: decimal(args, 'rate', { least: 0.01, most: 1_000_000 }),
    expiry: flag(args, 'expiry'),
    baseline: text(args, 'baseline'),
    seeded: args['seed'] !== undefined,
    sign: text(args, 'sign'),
    issuer: text(args, 'issuer'),
    quiet: flag(args, 'quiet'),
    json: flag(args, 'json'),
  };
}

/**
 * Reads `--strict` and `--allow-inconclusive`; a certification is always strict.
 *
 * @throws UsageError where they contradict each other
 */
export function readTolerance(args: Arguments, suite: Suite): Tolerance {
  const strict = flag(args, 'strict');
  const allowInconclusive = flag(args, 'allow-inconclusive');
  if (allowInconclusive && strict)
    throw new UsageError('--allow-inconclusive contradicts --strict: leave one out');
  if (allowInconclusive && suite === 'certify')
    throw new UsageError('a certification tests every requirement: leave out --allow-inconclusive');
  return { strict: strict || suite === 'certify', allowInconclusive };
}

/**
 * Expects that something is left to judge. Throws UsageError where `--skip` leaves out all of it.
 *
 * @param own identifiers of checks of the user's own
 */
export function expectSelection({ only, skip }: RunOptions, own: readonly string[]): void {
  const all = only.length > 0 ? only : [...matchIds(['*']), ...own];
  if (!all.every((id) => skip.includes(id))) return;
  const what = only.length > 0 ? 'everything that --only selects' : 'everything';
  throw new UsageError(`--skip leaves out ${what}, so there is nothing to judge`);
}
