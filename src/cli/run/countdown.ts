/** Time between two messages about a wait, in milliseconds. */
const EVERY_MS = 60_000;
/** Shorter waits are not reported, in milliseconds. */
const SHORT_MS = 5_000;

/** Reports long waits while they last. */
export interface Countdown {
  /** A check waits until then (milliseconds since the epoch). */
  readonly begin: (until: number) => void;
  readonly stop: () => void;
}

/** A countdown that reports, every minute, the time left of the longest wait. */
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
      if (end - Date.now() < SHORT_MS) return;
      until = Math.max(until, end);
      if (timer !== null) return;
      timer = setInterval(report, EVERY_MS);
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
