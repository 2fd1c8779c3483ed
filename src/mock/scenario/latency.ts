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
 * How long one answer is held back, in milliseconds.
 *
 * @param drawn from 0 and below 1: how far along the profile this request stands
 */
export function delayOf(latency: Latency, drawn: number): number {
  const { fixedMs, uniformMs, percentilesMs } = latency;
  if (uniformMs !== undefined) return uniformMs[0] + (uniformMs[1] - uniformMs[0]) * drawn;
  if (percentilesMs !== undefined) return interpolate(percentilesMs, drawn);
  return fixedMs ?? 0;
}

// Straight lines between what is named; below the first it falls to nothing, above the last it stays.
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
