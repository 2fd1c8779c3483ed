import { Undecided } from '../core/undecided.ts';
import type { CheckContext } from './context.ts';
import { waitFor } from './interruptible-wait.ts';

/** Milliseconds after which a 5xx is asked for again before it counts. */
const CONFIRM_AFTER_MS = 3000;
/** What gateways answer for a provider that is down. */
const GATEWAY_STATUSES = [502, 503, 504];

/**
 * Confirms that a 5xx is the provider's own and lasts: it is given again after a time in which a restart is over. Throws
 * Undecided where it is not, and where it is one that gateways give. Any other status is left to the caller.
 *
 * @param status what the request was answered
 * @param again sends it again; resolves to the status
 */
export async function confirmServerError(
  context: CheckContext,
  status: number,
  again: () => Promise<number>,
): Promise<void> {
  if (status < 500) return;
  await waitFor(CONFIRM_AFTER_MS, context);
  const later = await again();
  if (later >= 500 && !GATEWAY_STATUSES.includes(later)) return;
  throw new Undecided(
    { kind: 'unavailable', status },
    `answered ${status}, and ${later} ${CONFIRM_AFTER_MS / 1000} s later`,
  );
}
