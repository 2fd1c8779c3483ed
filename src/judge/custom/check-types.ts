import type { Json } from '../../core/results.ts';
import type { Resource } from '../../target/target.ts';

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
   * Whether the rule applies only while the data does not change; true unless given. A breach is then reported only if
   * it shows twice and nothing else changed. Use false if no change of the data could explain it.
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
  /** What the rule demands, as data. */
  readonly expected?: Json;
  /** What the provider answered instead, as data. */
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

/** A query: text without `?` that is sent unchanged, or parameters whose values are percent-encoded. */
export type Query = string | { readonly [name: string]: string | number | boolean };

/** One record of a list with its position. */
export interface Placed {
  readonly record: Json;
  /** The member that the target file names as idField; undefined if the record has none. */
  readonly id: Json | undefined;
  /** Position in the whole list, from 0. */
  readonly position: number;
  /** The page that gave it. */
  readonly page: Answer;
}

/** One snapshot of a list. After a breach the check runs again on a fresh one. */
export interface ListSnapshot extends Findings {
  /** Name, path, schema and idField, from the target file. */
  readonly resource: Resource;
  /** GET with the token and a query; each query is sent once per snapshot. */
  get(query?: Query): Promise<Answer>;
  /** The records of the whole list, page by page by its links; inconclusive if the links do not reach the end. */
  records(options?: { readonly pageSize?: number }): AsyncIterable<Placed>;
  /** GET with further headers, always sent again. Without `authorization` the token is sent; null sends no header. */
  call(options: {
    readonly query?: Query;
    readonly headers?: { readonly [name: string]: string };
    readonly authorization?: string | null;
  }): Promise<Answer>;
}

/** The token endpoint. After a breach the check runs again with a fresh token. */
export interface TokenSnapshot extends Findings {
  /** The answer to the request that the specification describes. */
  answer(): Promise<Answer>;
  /** Header and payload of the token if it is a JWT, not verified; null for any other token. */
  jwt(): Promise<{
    readonly header: { readonly [name: string]: Json };
    readonly payload: { readonly [name: string]: Json };
  } | null>;
  /**
   * The same request with fields changed, added or, by null, left out. A request with another client_secret counts
   * against probes.wrongCredentials, and the check is inconclusive once that is used up.
   */
  ask(changes: { readonly [field: string]: string | null }): Promise<Answer>;
}

/** What a check works with: the list it judges, and the token endpoint. */
export interface ProviderSnapshot {
  readonly list: ListSnapshot;
  readonly token: TokenSnapshot;
}
