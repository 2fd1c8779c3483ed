import { type Latency, PERCENTILES, type Percentile } from './scenario.ts';

const SHARES: Readonly<Record<Percentile, number>> = {
  min: 0,
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  max: 1,
};

/**
 * The delay of one answer, in milliseconds.
 *
 * @param drawn a random number from 0 to below 1: the percentile of this request
 */
export function delayOf(latency: Latency, drawn: number): number {
  const { fixedMs, uniformMs, percentilesMs } = latency;
  if (uniformMs !== undefined) return uniformMs[0] + (uniformMs[1] - uniformMs[0]) * drawn;
  if (percentilesMs !== undefined) return interpolate(percentilesMs, drawn);
  return fixedMs ?? 0;
}

// Linear interpolation; below the first percentile down to 0, above the last one constant.
function interpolate(named: Readonly<Partial<Record<Percentile, number>>>, drawn: number): number {
  let [left, low] = [0, 0];
  for (const name of PERCENTILES) {
    const value = named[name];
    if (value === undefined) continue;
    const share = SHARES[name];
    if (drawn < share) return low + ((value - low) * (drawn - left)) / (share - left);
    [left, low] = [share, value];
  }
  return low;
}
