import { runInAllThreads } from './prove/all-threads.ts';
import { runSweep } from './prove/sweep.ts';

/**
 * Plants defects of one page size at every size from 1 to 500, and prints how many each suite finds:
 * `npm run prove:sweep -- 1 20,50` does so with the seed 1, also with `--runs` 20 and 50. Exit status 1 if certify
 * misses one, or if something fails falsely.
 */
const [seed = '1', runs = ''] = process.argv.slice(2);
const numbers = runs.split(',').filter((part) => part !== '');
const rows = await runSweep(numbers.map(Number), { seed: Number(seed) }, runInAllThreads);
for (const { kind, suite, runs: drawn, found, planted, falselyFailed, requests } of rows) {
  const setting = drawn === null ? suite : `${suite} --runs ${drawn}`;
  console.log(`${setting}, ${kind}: ${found} of ${planted} found, at most ${requests} requests`);
  if (falselyFailed.length > 0) console.log(`  failed falsely at ${falselyFailed.join(', ')}`);
}
const isSound = rows.every(
  ({ suite, found, planted, falselyFailed }) =>
    falselyFailed.length === 0 && (suite === 'full' || found === planted),
);
process.exitCode = isSound ? 0 : 1;
