import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Results, Shard } from '../core/results.ts';
import { UserError } from '../core/user-error.ts';
import { outcomeOfAll } from '../core/verdict.ts';

type Part = Results & { readonly run: { readonly shard: Shard } };

interface Merged {
  /** Incomplete if a shard is missing or was interrupted. */
  readonly results: Results;
  /** Missing shards, such as `4/4`. */
  readonly missing: readonly string[];
}

/**
 * Joins the shards of a run from `assay run` or Playwright. The results equal those of a single process, with
 * the targets in their original order.
 *
 * @param parts each shard once, in any order
 * @param run identifier and command line of the merged run
 * @throws UserError if they are not shards of one run
 */
export function mergeShards(
  parts: readonly Results[],
  run: { readonly id: string; readonly command: string },
): Merged {
  const shards = inOrder(parts);
  const [first, ...others] = shards;
  if (first === undefined) throw new UserError('there is no shard to merge');
  for (const other of others) expectSameRun(first, other);
  expectSameTargets(shards);
  const isDividedByPlaywright = shards.some(({ run }) => run.shard.targets !== undefined);
  const targets = isDividedByPlaywright ? shards.flatMap((shard) => shard.targets) : interleaved(shards);
  const names = targets.map(({ name }) => name);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined)
    throw new UserError(
      `the target ${duplicate} was judged by more than one shard; merge the shards of one run`,
    );
  const missing = missingOf(shards);
  const complete = missing.length === 0 && shards.every((shard) => shard.run.complete);
  const times = (field: 'startedAt' | 'finishedAt'): readonly string[] =>
    shards.map((shard) => shard.run[field]).toSorted();
  const results: Results = {
    format: first.format,
    tool: first.tool,
    run: {
      id: run.id,
      startedAt: times('startedAt')[0] ?? first.run.startedAt,
      finishedAt: times('finishedAt').at(-1) ?? first.run.finishedAt,
      suite: first.run.suite,
      seed: first.run.seed,
      complete,
      command: run.command,
      ...(first.run.issuer === undefined ? {} : { issuer: first.run.issuer }),
    },
    outcome: outcomeOfAll(targets, complete),
    targets,
  };
  return { results, missing };
}

function inOrder(parts: readonly Results[]): readonly Part[] {
  const shards = parts.map((part): Part => {
    const { shard } = part.run;
    if (shard !== undefined) return { ...part, run: { ...part.run, shard } };
    throw new UserError(`the run ${part.run.id} is not a shard: it was run without --shard; leave it out`);
  });
  const of = shards[0]?.run.shard.of ?? 0;
  const other = shards.find(({ run }) => run.shard.of !== of);
  if (other !== undefined)
    throw new UserError(`the run ${other.run.id} is one of ${other.run.shard.of} shards, not of ${of}`);
  for (const { run } of shards) {
    const times = shards.filter((other) => other.run.shard.index === run.shard.index).length;
    if (times > 1) throw new UserError(`shard ${nameOf(run.shard)} is given ${times} times; name it once`);
  }
  return shards.toSorted((one, other) => one.run.shard.index - other.run.shard.index);
}

function missingOf(shards: readonly Part[]): readonly string[] {
  const of = shards[0]?.run.shard.of ?? 0;
  return Array.from({ length: of }, (_none, place) => place + 1)
    .filter((index) => !shards.some(({ run }) => run.shard.index === index))
    .map((index) => nameOf({ index, of }));
}

function nameOf({ index, of }: Shard): string {
  return `${index}/${of}`;
}

function expectSameRun(first: Part, other: Part): void {
  const differs = (what: string, one: string | number, two: string | number): void => {
    if (one === two) return;
    throw new UserError(
      `shard ${nameOf(other.run.shard)} belongs to another run: its ${what} is ${two}, ` +
        `that of the first ${one}; merge the shards of one run`,
    );
  };
  differs('suite', first.run.suite, other.run.suite);
  differs('seed', first.run.seed, other.run.seed);
  differs('issuer', first.run.issuer ?? 'not named', other.run.issuer ?? 'not named');
  differs('version of Assay', first.tool.version, other.tool.version);
}

// A Playwright shard is empty if there are more shards than targets.
function expectSameTargets(shards: readonly Part[]): void {
  const [first, ...others] = shards.filter(({ targets }) => targets.length > 0);
  for (const { run } of others) {
    const { targets, files } = run.shard;
    if (targets === first?.run.shard.targets && files === first?.run.shard.files) continue;
    throw new UserError(
      `shard ${nameOf(run.shard)} belongs to another run: ` +
        'its targets are different or divided differently; merge the shards of one run',
    );
  }
}

// Shard I has every N-th target, starting with the I-th.
function interleaved(shards: readonly Part[]): Results['targets'] {
  const rows = Math.max(...shards.map(({ targets }) => targets.length));
  return Array.from({ length: rows }, (_none, row) =>
    shards.flatMap(({ targets }) => targets[row] ?? []),
  ).flat();
}

/**
 * Joins evidence files in the given order. The bytes are copied unchanged: lines refer only to bodies of
 * their own file, and gzip files may be concatenated.
 *
 * @throws Node's error if a file cannot be read or written
 */
export async function joinEvidence(files: readonly string[], into: string): Promise<void> {
  await pipeline(async function* () {
    for (const file of files) yield* createReadStream(file);
  }, createWriteStream(into));
}
