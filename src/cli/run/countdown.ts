/** Interval between messages about a wait, in milliseconds. */
const INTERVAL_MS = 60_000;
/** Shorter waits are not reported, in milliseconds. */
const MIN_WAIT_MS = 5_000;

/** Reports long waits while they last. */
export interface Countdown {
  /** Starts a wait until this time (milliseconds since the epoch). */
  readonly begin: (until: number) => void;
  readonly stop: () => void;
}

/** Reports every minute how long the longest wait will take. */
export function countdown(say: (sentence: string) => void): Countdown {
  let until = 0;
  let timer: NodeJS.Timeout | null = null;
  const report = (): void => {
    const seconds = Math.round((until - Date.now()) / 1000);
    if (seconds > 0)
      say(`assay: waiting for a token to expire, ${durationWords(seconds)} left; other checks continue`);
    else stop();
  };
  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  return {
    begin: (end) => {
      if (end - Date.now() < MIN_WAIT_MS) return;
      until = Math.max(until, end);
      if (timer !== null) return;
      timer = setInterval(report, INTERVAL_MS);
      timer.unref();
      report();
    },
    stop,
  };
}

function durationWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
}
