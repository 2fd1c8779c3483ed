import type { ProveResults } from '../src/core/prove-results.ts';
import { prove } from '../src/prove/prove.ts';
import { readStabilityOptions, type StabilityOptions } from './stability-options.ts';

/**
 * Runs `prove` with ten seeds (or the number on the command line), with one thread and with four, and compares
 * every matrix with the first: `npm run prove:stable -- 10 1,4`. Exit status 1 if two differ or one fails, 3 for
 * other arguments. A matrix takes as long as `assay prove`.
 */
const options = givenOptions();
let first: ReadonlyMap<string, string> | null = null;
let differing = 0;
for (let seed = 1; seed <= options.seeds; seed++) {
  for (const jobs of options.jobs) {
    const results = await prove({
      proof: { kind: 'matrix' },
      only: [],
      seed,
      jobs,
      runId: `stability-${seed}-${jobs}`,
      command: 'npm run prove:stable',
      onProgress: () => undefined,
      signal: null,
    });
    const rows = rowsOf(results);
    first ??= rows;
    const changed = [...rows].filter(([id, row]) => first?.get(id) !== row);
    if (changed.length > 0 || !results.proven) differing++;
    const { defects, variants } = results.totals;
    console.log(
      `seed ${seed}, jobs ${jobs}: ${defects.killed} of ${defects.total} defects, ${variants.cleared} of ${variants.total} variants, ${changed.length === 0 ? 'the same' : `${changed.length} rows differ`} (${secondsOf(results)} s)`,
    );
    for (const [id, row] of changed) console.log(`  ${id}: ${first.get(id)} became ${row}`);
  }
}
console.log(differing === 0 ? 'Every matrix is the same.' : `${differing} matrices differ or prove nothing.`);
process.exitCode = differing === 0 ? 0 : 1;

function givenOptions(): StabilityOptions {
  try {
    return readStabilityOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(3);
  }
}

/** The result of each defect and variant, with the requirements. */
function rowsOf({ defects, variants }: ProveResults): ReadonlyMap<string, string> {
  const ids = (verdicts: readonly { readonly requirement: string }[]): string =>
    verdicts.map(({ requirement }) => requirement).join(' ');
  return new Map([
    ...defects.map(({ id, fate, killedBy, alsoFailed, escaped, falselyFailed, errors }): [string, string] => [
      id,
      [fate, ...[killedBy, alsoFailed, escaped, falselyFailed, errors].map(ids)].join(' | '),
    ]),
    ...variants.map(({ id, fate, failed, errors }): [string, string] => [
      id,
      [fate, ids(failed), ids(errors)].join(' | '),
    ]),
  ]);
}

function secondsOf({ run }: ProveResults): string {
  return ((Date.parse(run.finishedAt) - Date.parse(run.startedAt)) / 1000).toFixed(0);
}
