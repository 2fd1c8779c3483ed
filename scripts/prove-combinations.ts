import { defects } from '../src/mock/index.ts';
import { runInAllThreads } from './prove/all-threads.ts';
import { proveCombinations } from './prove/combinations.ts';

/**
 * Tests pairs and triples of defects in one provider: `npm run prove:combinations -- 300 1` tests 300 of them, drawn
 * by the seed 1. Prints each with its result, and the defects that another one masks. Exit status 1 if a cause is not
 * named.
 */
const [number = '300', seed = '1'] = process.argv.slice(2);
const combinations = await proveCombinations(defects, Number(number), Number(seed), runInAllThreads);
for (const { id, fate, killedBy, masked, escaped, falselyFailed, errors } of combinations) {
  console.log(`${fate}  ${id}: ${killedBy.join(', ')}`);
  for (const { defect, requirement, why } of masked)
    console.log(`  ${requirement} of ${defect} hidden: ${why}`);
  for (const { requirement, verdict, sentence } of [...escaped, ...falselyFailed, ...errors])
    console.log(`  ${requirement} ${verdict}, ${sentence}`);
}
const named = combinations.filter(({ fate }) => fate === 'killed').length;
console.log(`Every cause found in ${named} of ${combinations.length} combinations.`);
process.exitCode = named === combinations.length ? 0 : 1;
