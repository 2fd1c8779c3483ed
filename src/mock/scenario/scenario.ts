/** Client credentials: identifier, secret and scope of one integration. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

/** Form of the access tokens: signed JWT, or random text that is looked up. */
export type Tokens = 'jwt' | 'opaque';

/** One list that the provider serves. */
export interface Resource {
  /** Path below the base URL, for instance `/v1/printers`. */
  readonly path: string;
  readonly records: number;
}

/** What a provider is from its start on, and what a scenario file may set. */
export interface ProviderOptions {
  /** Number of records in each list that does not name its own: 0 to 10,000,000; 1234 unless given. */
  readonly records?: number;
  /** Seed of the records; 1 by default. */
  readonly seed?: number;
  readonly tokens?: Tokens;
  /** The provider's clock runs this many times faster than real time, starting from now. 1 unless given. */
  readonly clockRate?: number;
  /** Path of the base URL, for instance `/int`; none unless given. */
  readonly basePath?: string;
  /** The lists served; one at /v1/printers unless given. */
  readonly resources?: readonly { readonly path: string; readonly records?: number }[];
  /** Credentials to accept; made at random unless given. */
  readonly credentials?: Credentials;
  /** Credentials of a second provider; made at random unless given. */
  readonly otherCredentials?: Credentials;
  /** Identifier of one conforming but unusual variant; applied before the defects. */
  readonly variant?: string;
}

/** The delay of an answer in milliseconds: exactly one of the three profiles. */
export interface Latency {
  /** Delay of every answer, in milliseconds. */
  readonly fixedMs?: number;
  readonly uniformMs?: readonly [least: number, most: number];
  /** Named `min`, `p50` to `p99`, `max`; values never fall from left to right. */
  readonly percentilesMs?: Readonly<Partial<Record<Percentile, number>>>;
}

/** The percentiles that a profile may name, in their order. */
export const PERCENTILES = ['min', 'p50', 'p75', 'p90', 'p95', 'p99', 'max'] as const;

export type Percentile = (typeof PERCENTILES)[number];

/** Both ends are inclusive; a missing end is unbounded. */
export interface Range {
  readonly from?: number;
  readonly to?: number;
}

/** What a request asks for. */
export type Call = 'token' | 'list' | 'other';

/** The conditions of a rule; all must hold. */
export interface RuleCondition {
  readonly call?: 'token' | 'list';
  /** Names in any letter case; the value `*` matches any value. */
  readonly header?: Readonly<Record<string, string>>;
  /** Since the start or the last reset, by the provider's clock. */
  readonly elapsedSeconds?: Range;
  /** Counted from 1 among the requests for which the conditions above hold. */
  readonly requests?: Range;
  /** Only every n-th of those. */
  readonly every?: number;
}

/** An answer in place of the provider's own. */
export interface ReplacementAnswer {
  readonly status: number;
  /** Value of the Retry-After header, in seconds; no header if absent. */
  readonly retryAfterSeconds?: number;
  readonly body?: string;
}

/** What happens to some requests. */
export interface Rule {
  readonly name?: string;
  readonly when?: RuleCondition;
  readonly defects?: readonly string[];
  readonly latency?: Latency;
  readonly answer?: ReplacementAnswer;
  /** Resets the connection before any answer. */
  readonly reset?: boolean;
  /** Share of the body, from 0 to below 1, that is sent before the connection is closed. */
  readonly truncate?: number;
}

/** What can change while the provider runs; the rest of a scenario is fixed when it starts. */
export interface Behaviour {
  readonly defects?: readonly string[];
  readonly latency?: Latency;
  readonly rules?: readonly Rule[];
}

/** The validated content of a scenario file (schemas/scenario.schema.json). */
export interface Scenario extends Behaviour, ProviderOptions {}
