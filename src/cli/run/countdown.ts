/** How often a wait is told, in milliseconds. */
const EVERY_MS = 60_000;
/** Waits shorter than this are not told. */
const SHORT_MS = 5_000;

/** Tells of long waits while they last. */
export interface Countdown {
  /** A check waits until then (milliseconds since the epoch). */
  readonly begin: (until: number) => void;
  readonly stop: () => void;
}

/** A countdown that says, each minute, how long the longest wait still takes. */
export function countdown(say: (sentence: string) => void): Countdown {
  let until = 0;
  let timer: NodeJS.Timeout | null = null;
  const tell = (): void => {
    const seconds = Math.round((until - Date.now()) / 1000);
    if (seconds > 0)
      say(`assay: waiting for a token to expire, ${inWords(seconds)} left; other checks go on`);
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
      timer = setInterval(tell, EVERY_MS);
      timer.unref();
      tell();
    },
    stop,
  };
}

function inWords(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
}
