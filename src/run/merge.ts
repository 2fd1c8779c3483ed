import type { Results, Shard } from '../core/results.ts';
import { worstOutcome } from '../core/verdict.ts';

/** Shards that do not make one run; the message is one sentence for the user. */
export class MergeError extends Error {
  override readonly name = 'MergeError';
}

type Part = Results & { readonly run: { readonly shard: Shard } };

/**
 * Joins the shards of a run: the results that one process would have given, targets in their order.
 *
 * @param parts every shard once, in any order
 * @param run identifier and command line of the whole
 * @throws MergeError where they are not all the shards of one run
 */
export function mergeShards(
  parts: readonly Results[],
  run: { readonly id: string; readonly command: string },
): Results {
  const shards = inOrder(parts);
  const [first, ...others] = shards;
  if (first === undefined) throw new MergeError('there is no shard to merge');
  for (const other of others) expectSameRun(first, other);
  const targets = interleaved(shards);
  const names = targets.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new MergeError(`the target ${twice} was judged by more than one shard`);
  const times = (field: 'startedAt' | 'finishedAt'): readonly string[] =>
    shards.map((shard) => shard.run[field]).toSorted();
  return {
    format: first.format,
    tool: first.tool,
    run: {
      id: run.id,
      startedAt: times('startedAt')[0] ?? first.run.startedAt,
      finishedAt: times('finishedAt').at(-1) ?? first.run.finishedAt,
      suite: first.run.suite,
      seed: first.run.seed,
      complete: shards.every((shard) => shard.run.complete),
      command: run.command,
    },
    outcome: worstOutcome(targets.map(({ outcome }) => outcome)),
    targets,
  };
}

function inOrder(parts: readonly Results[]): readonly Part[] {
  const shards = parts.map((part): Part => {
    const { shard } = part.run;
    if (shard !== undefined) return { ...part, run: { ...part.run, shard } };
    throw new MergeError(`the run ${part.run.id} is no shard: it was made without --shard`);
  });
  const of = shards[0]?.run.shard.of ?? 0;
  for (let index = 1; index <= of; index++) {
    const found = shards.filter(({ run }) => run.shard.index === index && run.shard.of === of);
    if (found.length === 1) continue;
    throw new MergeError(
      found.length === 0
        ? `shard ${index}/${of} is missing`
        : `shard ${index}/${of} is given ${found.length} times`,
    );
  }
  const stranger = shards.find(({ run }) => run.shard.of !== of);
  if (stranger !== undefined)
    throw new MergeError(
      `the run ${stranger.run.id} is one of ${stranger.run.shard.of} shards, not of ${of}`,
    );
  return shards.toSorted((one, other) => one.run.shard.index - other.run.shard.index);
}

function expectSameRun(first: Part, other: Part): void {
  const differs = (what: string, one: string | number, two: string | number): void => {
    if (one === two) return;
    const { index, of } = other.run.shard;
    throw new MergeError(
      `shard ${index}/${of} is of another run: its ${what} is ${two}, that of the first ${one}`,
    );
  };
  differs('suite', first.run.suite, other.run.suite);
  differs('seed', first.run.seed, other.run.seed);
  differs('version of Assay', first.tool.version, other.tool.version);
}

// Every N-th target went to the same shard.
function interleaved(shards: readonly Part[]): Results['targets'] {
  const rows = Math.max(...shards.map(({ targets }) => targets.length));
  return Array.from({ length: rows }, (_none, row) =>
    shards.flatMap(({ targets }) => targets[row] ?? []),
  ).flat();
}
