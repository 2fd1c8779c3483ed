import { type CheckContext, waitFor } from '../context.ts';

/** Repetitions of a trial at most because the run requested another token during it, which may end that of the trial. */
const MAX_REPETITIONS = 8;
/** Milliseconds before a trial is repeated. */
const PAUSE_MS = 100;

/** Thrown by a trial whose token another token request may have ended. */
export class Disturbed extends Error {}

/** Carries out a trial of tokens that no other token request must disturb; again while one did. */
export async function tryUndisturbed(context: CheckContext, trial: () => Promise<void>): Promise<void> {
  for (let tries = 0; tries < MAX_REPETITIONS; tries++) {
    try {
      return await context.tokens.lock.runAlone(trial);
    } catch (error) {
      if (!(error instanceof Disturbed)) throw error;
    }
    await waitFor(PAUSE_MS, context);
  }
}
