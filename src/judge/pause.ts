import type { Clock } from '../core/clock.ts';
import { Inconclusive } from './findings.ts';

/** Waits that many milliseconds; throws Inconclusive where the run is interrupted meanwhile. */
export async function pause(
  milliseconds: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | null },
): Promise<void> {
  try {
    await clock.sleep(milliseconds, signal);
  } catch {
    const reason: unknown = signal?.reason;
    const why = reason instanceof Error && reason.name === 'Stop' ? reason.message : 'the run was stopped';
    throw new Inconclusive(`${why} while this waited`);
  }
}
