import { EXIT } from './exit-status.ts';

/** Listens for SIGINT and SIGTERM while something goes on. */
export interface Interruption {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Stops listening. */
  readonly dispose: () => void;
}

/**
 * The first SIGINT or SIGTERM aborts the signal and calls `onFirst`; the second ends the process at once, with
 * status 130, after `onSecond`, which must not wait for anything.
 */
export function watchInterruption(onFirst: () => void, onSecond: () => void): Interruption {
  const controller = new AbortController();
  const listener = (): void => {
    if (controller.signal.aborted) {
      onSecond();
      process.exit(EXIT.interrupted);
    }
    controller.abort();
    onFirst();
  };
  process.on('SIGINT', listener);
  process.on('SIGTERM', listener);
  return {
    signal: controller.signal,
    dispose: () => {
      process.off('SIGINT', listener);
      process.off('SIGTERM', listener);
    },
  };
}
