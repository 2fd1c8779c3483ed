import type { Outcome } from '../core/verdict.ts';

/** Every exit status of the command, in one place. */
export const EXIT = {
  /** Nothing failed. */
  ok: 0,
  /** A requirement failed, and no waiver covers it. */
  failed: 1,
  /** Something was inconclusive, and `--fail-on inconclusive` was asked for. */
  inconclusive: 2,
  /** The run could not be carried out: usage, target file, unreachable, no credentials, no room to write. */
  notCarriedOut: 3,
  /** Stopped by a signal. */
  interrupted: 130,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** What makes a run end with a status other than 0. */
export type FailOn = 'fail' | 'inconclusive';

/** The exit status of a finished run: a failure outranks an error, an error outranks an inconclusive verdict. */
export function exitStatusOf(outcome: Outcome, failOn: FailOn): ExitStatus {
  switch (outcome) {
    case 'non-conformant':
      return EXIT.failed;
    case 'error':
      return EXIT.notCarriedOut;
    case 'inconclusive':
      return failOn === 'inconclusive' ? EXIT.inconclusive : EXIT.ok;
    case 'conformant':
      return EXIT.ok;
  }
}

/** The status where something that was to be kept or told is lost: an error, but a proven failure is the graver news. */
export function withLoss(status: ExitStatus, lost: boolean): ExitStatus {
  return lost && status !== EXIT.failed ? EXIT.notCarriedOut : status;
}
