import type { Clock } from '../core/clock.ts';
import type { RunEvent, Shard } from '../core/results.ts';
import type { EvidenceEntry } from '../evidence/evidence-entry.ts';
import type { EvidenceUses } from '../evidence/line.ts';
import type { Redactor } from '../evidence/redactor.ts';
import type { Check } from '../judge/check.ts';
import type { Target } from '../target/target.ts';
import type { JudgingOptions } from './evidence-setting.ts';
import type { SessionClient, SessionClientParts } from './session.ts';

/** How a run is carried out. */
export interface ConformOptions extends JudgingOptions {
  /** Which part of a larger run this is; null or left out where it is whole. */
  readonly shard?: Shard | null;
  /** Who certifies, for the record; null or left out where nobody is named. */
  readonly issuer?: string | null;
  /** The command line, for the record; secrets are removed from it. */
  readonly command: string;
  readonly runId: string;
  /** Where evidence goes as the run goes on; null for nowhere. */
  readonly evidenceFile: string | null;
  /** Told, in one sentence, where evidence could not be written (a full disk); the verdicts are whole all the same. */
  readonly onEvidenceLost?: (sentence: string) => void;
  /** Told every exchange as evidence has it, secrets removed, when it is about to be written. Must not throw. */
  readonly onRecorded?: (entry: EvidenceEntry) => void;
  /** Told which exchanges each check of a target used, when the target has been judged. Must not throw. */
  readonly onUses?: (target: string, uses: EvidenceUses) => void;
  readonly listener: (event: RunEvent) => void;
  /** Aborting it ends the run in order, with an incomplete result. */
  readonly signal: AbortSignal | null;
  /** Read for proxies; the process's own where left out. */
  readonly environment?: NodeJS.ProcessEnv;
  /** False keeps observations to what the checks asked anyway; true where left out. */
  readonly inquire?: boolean;
  /** The checks; the conformance suite where left out. */
  readonly checks?: readonly Check[];
  /** Checks of the user's own for a target; they come last, with snapshots of their own, and change nothing for the others. */
  readonly own?: (target: Target) => readonly Check[];
  /** Told when a check begins to wait, and until when, in milliseconds since the epoch. */
  readonly onWait?: (until: number) => void;
  /** For a replay or a rehearsal: what carries requests, its time, and what removes secrets. */
  readonly replay?: {
    readonly connect: (parts: SessionClientParts) => SessionClient;
    readonly clock: Clock;
    readonly redactor: Redactor;
  };
}
