import { SYSTEM_CLOCK } from '../core/clock.ts';

/** Milliseconds by which one of two requests that are in progress at the same time precedes the other one. */
const HEAD_START_MS = 10;

/** Waits between two such requests. Not by the clock of the run: this orders them, and a simulated run has no time. */
export function headStart(): Promise<void> {
  return SYSTEM_CLOCK.sleep(HEAD_START_MS, null);
}
