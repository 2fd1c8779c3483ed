import type { Json } from '../../core/results.ts';

/** Texts and options of a custom check, also for reports. */
export interface About {
  /** What the provider must do, in one sentence. */
  readonly rule: string;
  /** Chapters of the document that states the rule. Empty unless given. */
  readonly clause?: readonly string[];
  /** Whether the smoke suite covers it; false unless given. */
  readonly smoke?: boolean;
  /** What data the check needs; reported if it could not be tested. */
  readonly needs?: string;
  /**
   * Whether the rule speaks of data at rest; true unless given. A breach is then reported only if it shows
   * twice and nothing else changed. Use false if no change of the data could explain it.
   */
  readonly atRest?: boolean;
}

/** A custom check, to be exported from a module or passed to `conform`. */
export interface CustomCheck {
  readonly requirement: { readonly id: string; readonly rule: string; readonly clause: readonly string[] };
  /** `target` if it is judged once, `list` if it is judged for each list. */
  readonly scope: 'target' | 'list';
}

/** One answer of the provider. */
export interface Answer {
  /** Its number in the evidence of the run. */
  readonly exchange: number;
  /** The request target: path and query, as they were sent. */
  readonly target: string;
  readonly status: number;
  /** Headers by their names in lower case; the first of each name. */
  readonly headers: { readonly [name: string]: string };
  /** The body as text. */
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: Json | undefined;
}

/** A breach as a check reports it. */
export interface Breach {
  /** One sentence: what was requested, what was answered, what the rule says. */
  readonly message: string;
  readonly expected?: Json;
  readonly actual?: Json;
  /** The case that shows it, by the names of its parts. */
  readonly counterexample?: { readonly [name: string]: Json };
  /** Answers that prove it, the most important one first; the last one requested unless given. */
  readonly answers?: readonly Answer[];
  /** Identifies the breach when it shows again; the message unless given. */
  readonly key?: string;
}

/** How a check reports what it found. */
export interface Findings {
  /**
   * Expects a condition. A breach that shows again on a fresh snapshot is a failure. A check that never calls
   * `expect` is inconclusive.
   */
  expect(holds: boolean, breach: string | Breach): void;
  /** Ends the check as inconclusive because of the data. The reason says which data it needs. */
  inconclusive(reason: string): never;
  /** Ends the check as skipped because it does not apply to the target. */
  skip(reason: string): never;
}
