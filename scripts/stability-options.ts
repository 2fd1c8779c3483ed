/** What `npm run prove:stable` compares: seeds from 1 on, each with these numbers of threads. */
export interface StabilityOptions {
  readonly seeds: number;
  readonly jobs: readonly number[];
}

/**
 * Reads the arguments of `npm run prove:stable`: the number of seeds, then numbers of threads separated by commas.
 *
 * @throws RangeError unless at least two matrices are compared
 */
export function readStabilityOptions(words: readonly string[]): StabilityOptions {
  const [seeds = '10', threads = '1,4', ...others] = words;
  const jobs = threads.split(',');
  const areNumbers = [seeds, ...jobs].every((word) => /^[1-9]\d*$/u.test(word));
  if (!areNumbers || others.length > 0 || Number(seeds) * jobs.length < 2)
    throw new RangeError(
      'usage: npm run prove:stable -- [SEEDS [THREADS,THREADS]], with at least two matrices to compare',
    );
  return { seeds: Number(seeds), jobs: jobs.map(Number) };
}
