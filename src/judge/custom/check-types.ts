import type { Json } from '../../core/results.ts';

/** What a check of your own says of itself, in reports as well. */
export interface About {
  /** What the provider must do, in one sentence. */
  readonly rule: string;
  /** Where that is stated: chapters of whatever document the rule comes from. Empty unless given. */
  readonly clause?: readonly string[];
  /** Whether the smoke suite covers it; false unless given. */
  readonly smoke?: boolean;
  /** What the data must offer before it can be judged; told where nothing could be tried. */
  readonly needs?: string;
  /**
   * Whether the rule speaks of data at rest; true unless given. A breach is then told only where it shows twice and
   * nothing else changed meanwhile. Say false where no change of the data could excuse it.
   */
  readonly atRest?: boolean;
}

/** A check of your own, to be exported from a module or given to `conform`. */
export interface OwnCheck {
  readonly requirement: { readonly id: string; readonly rule: string; readonly clause: readonly string[] };
  /** `target` for what is judged once, `list` for what is judged for each list. */
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
  /** The body as JSON; undefined where it is none. */
  readonly json: Json | undefined;
}

/** A breach in the words of a check. */
export interface Breach {
  /** One sentence: what was asked, what came back, what the rule says. */
  readonly message: string;
  readonly expected?: Json;
  readonly actual?: Json;
  /** The case that shows it, by the names of its parts. */
  readonly counterexample?: { readonly [name: string]: Json };
  /** Answers that prove it, the telling one first; the last one that was asked for unless given. */
  readonly answers?: readonly Answer[];
  /** What makes it the same breach when it shows again; the message unless given. */
  readonly key?: string;
}

/** How a check tells what it found. */
export interface Findings {
  /**
   * Expects something to be so. A breach that shows again on a fresh snapshot is a failure; a check that never expects
   * anything is inconclusive and no pass.
   */
  expect(holds: boolean, breach: string | Breach): void;
  /** Ends the check without a verdict: the data do not let it be judged. The sentence says what would. */
  inconclusive(reason: string): never;
  /** Ends the check as left out: the target offers no ground for it. */
  skip(reason: string): never;
}
