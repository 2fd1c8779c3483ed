import type { Clock } from '../core/clock.ts';
import { Undecided } from '../core/undecided.ts';

/** Waits that many milliseconds; throws Undecided if the run is interrupted. */
export async function waitFor(
  milliseconds: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | null },
): Promise<void> {
  try {
    await clock.sleep(milliseconds, signal);
  } catch {
    const reason: unknown = signal?.reason;
    const outOfTime = reason instanceof Error && 'code' in reason && reason.code === 'time-limit';
    throw new Undecided(outOfTime ? { kind: 'limit', limit: 'maxRunSeconds' } : { kind: 'interrupted' });
  }
}
