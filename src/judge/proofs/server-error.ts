import { Undecided } from '../../core/undecided.ts';
import { isOfGateway } from '../../provider/throttled-answer.ts';
import type { CheckContext } from '../context.ts';
import { waitFor } from '../interruptible-wait.ts';

/** Milliseconds after which a request with a 5xx answer is repeated. */
const CONFIRM_AFTER_MS = 3000;
/**
 * Confirms that a 5xx comes from the provider itself and lasts: repeats the request after the time that a restart
 * takes. Throws Undecided if it does not last, or if gateways use that status. Returns for any other status.
 *
 * @param status status of the answer
 * @param again repeats the request; resolves to its status
 */
export async function confirmServerError(
  context: CheckContext,
  status: number,
  again: () => Promise<number>,
): Promise<void> {
  if (status < 500) return;
  await waitFor(CONFIRM_AFTER_MS, context);
  const later = await again();
  if (later >= 500 && !isOfGateway(later)) return;
  throw new Undecided(
    { kind: 'unavailable', status },
    `answered ${status}, and ${later} ${CONFIRM_AFTER_MS / 1000} s later`,
  );
}
