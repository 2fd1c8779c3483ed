import type { Conclusion } from '../../core/conclusion.ts';
import { UserError } from '../../core/user-error.ts';

/** All exit statuses. */
export const EXIT = {
  /** Conformant; or nothing failed, and the undecided requirements need more records. */
  ok: 0,
  /** A requirement failed and no waiver covers it. */
  failed: 1,
  /** Something could not be decided, or nothing was tested. */
  inconclusive: 2,
  /**
   * The run could not be carried out: usage, target file, unreachable, invalid credentials, output not
   * writable.
   */
  notCarriedOut: 3,
  /** Stopped by a signal. */
  interrupted: 130,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** Options that change the exit status. */
export interface Tolerance {
  /** `--strict`: a requirement that needs more records counts as inconclusive, so that 0 means conformant. */
  readonly strict: boolean;
  /** `--allow-inconclusive`: inconclusive requirements do not count. */
  readonly allowInconclusive: boolean;
}

/** The exit status of a finished run. */
export function exitStatusOf(conclusion: Conclusion, { strict, allowInconclusive }: Tolerance): ExitStatus {
  switch (conclusion) {
    case 'failed':
      return EXIT.failed;
    case 'error':
      return EXIT.notCarriedOut;
    case 'inconclusive':
      return allowInconclusive ? EXIT.ok : EXIT.inconclusive;
    case 'needs-data':
      return strict ? EXIT.inconclusive : EXIT.ok;
    case 'passed':
      return EXIT.ok;
  }
}

/** The status if output was lost: `notCarriedOut`, unless a requirement failed, which is more important. */
export function statusWithLoss(status: ExitStatus, lost: boolean): ExitStatus {
  return lost && status !== EXIT.failed ? EXIT.notCarriedOut : status;
}

/** A wrong command line, or a file that it names and that cannot be used. */
export class UsageError extends UserError {
  override readonly name = 'UsageError';
}

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
