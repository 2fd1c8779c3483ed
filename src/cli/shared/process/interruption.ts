import { EXIT } from './exit-status.ts';

/** What a command says after the first signal. */
export const STOPPING = 'stopping; press Ctrl+C again to quit now';

/** Listens for SIGINT, SIGTERM and SIGHUP during a command. */
interface Interruption {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Stops listening. */
  readonly dispose: () => void;
}

/**
 * The first signal aborts and calls `onFirst`. The second calls `onSecond`, which must be synchronous, and ends the
 * process with status 130. SIGHUP counts once, because a closed terminal may send it twice.
 */
export function watchInterruption(onFirst: () => void, onSecond?: () => void): Interruption {
  const controller = new AbortController();
  const listener = (): void => {
    if (controller.signal.aborted) {
      onSecond?.();
      process.exit(EXIT.interrupted);
    }
    controller.abort();
    onFirst();
  };
  const onHangUp = (): void => {
    if (!controller.signal.aborted) listener();
  };
  process.on('SIGINT', listener).on('SIGTERM', listener).on('SIGHUP', onHangUp);
  return {
    signal: controller.signal,
    dispose: () => {
      process.off('SIGINT', listener).off('SIGTERM', listener).off('SIGHUP', onHangUp);
    },
  };
}

/** Resolves at the first signal. */
export function untilInterrupted(): Promise<void> {
  return new Promise((resolve) => {
    watchInterruption(resolve);
  });
}
