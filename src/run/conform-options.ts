import type { Clock } from '../core/clock.ts';
import type { RunEvent, Shard } from '../core/results.ts';
import type { EvidenceIndex } from '../evidence/line.ts';
import type { Redactor } from '../evidence/redaction/redactor.ts';
import type { Check } from '../judge/check.ts';
import type { Target } from '../target/target.ts';
import type { CheckedList, RecordedOptions } from './evidence-setting.ts';
import type { SessionClient, SessionClientParts } from './session.ts';

/** Number of targets tested in parallel; each has its own limits. */
export const TARGETS_AT_ONCE = 32;

export interface ConformOptions extends RecordedOptions {
  /** The shard of a larger run; null or absent for a whole run. */
  readonly shard?: Shard | null;
  /** The organisation that certifies; null or absent if none is named. */
  readonly issuer?: string | null;
  /** The command line for results; secrets are removed from it. */
  readonly command: string;
  readonly runId: string;
  /** File that evidence is written to during the run; null or absent for none. */
  readonly evidenceFile?: string | null;
  /** Called when all evidence is in the file. */
  readonly onEvidenceWritten?: (index: EvidenceIndex) => void;
  /**
   * Called with one sentence if evidence could not be written, for example because the disk is full. Verdicts
   * are complete anyway.
   */
  readonly onEvidenceLost?: (sentence: string) => void;
  readonly listener?: (event: RunEvent) => void;
  /** Aborting it ends the run with an incomplete result. */
  readonly signal: AbortSignal | null;
  /** Environment variables for proxies; process.env by default. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Whether to make observations; true by default. */
  readonly observes?: boolean;
  /** The checks; the conformance suite by default. */
  readonly checks?: readonly Check[];
  /** Custom checks for a target. They run last, use their own snapshots, and do not affect the suite. */
  readonly customChecks?: (target: Target) => readonly Check[];
  /** Called when a check begins to wait, with the end of the wait in milliseconds since the epoch. */
  readonly onWait?: (until: number) => void;
  /** For a replay or a cost estimate: the client, its clock, and the redactor. */
  readonly replay?: {
    readonly connect: (parts: SessionClientParts) => SessionClient;
    readonly clock: Clock;
    readonly redactor: Redactor;
    /** For checks that run in turn: whether the run was stopped before this one. */
    readonly wasInterrupted?: (check: CheckedList) => boolean;
  };
}

/** The seed of all shards of a run if none is given, computed from the names of its target files (FNV-1a, 31 bits). */
export function shardSeed(files: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(files.join('\n'))) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 1;
}
