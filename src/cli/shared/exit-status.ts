import type { Conclusion } from '../../core/conclusion.ts';

/** Every exit status of the command, in one place. */
export const EXIT = {
  /** Conformant; or nothing failed, and what is open needs more records than the list holds. */
  ok: 0,
  /** A requirement failed, and no waiver covers it. */
  failed: 1,
  /** Something could not be decided, or nothing was tested. */
  inconclusive: 2,
  /** The run could not be carried out: usage, target file, unreachable, no credentials, no room to write. */
  notCarriedOut: 3,
  /** Stopped by a signal. */
  interrupted: 130,
} as const;

export type ExitStatus = (typeof EXIT)[keyof typeof EXIT];

/** What the user has asked for instead of the usual. */
export interface Tolerance {
  /** `--strict`: what needs more records counts as undecided, so that 0 means conformant. */
  readonly strict: boolean;
  /** `--allow-inconclusive`: what could not be decided does not count. */
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

/** The status where something that was to be kept or told is lost: an error, but a proven failure is the graver news. */
export function withLoss(status: ExitStatus, lost: boolean): ExitStatus {
  return lost && status !== EXIT.failed ? EXIT.notCarriedOut : status;
}
