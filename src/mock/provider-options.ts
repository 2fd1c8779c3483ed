/** Client credentials: identifier, secret and scope of one integration. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
}

/** A client that the provider knows. */
export type Client = Credentials;

/** Form of the access tokens: signed JWT, or random text that is looked up. */
export type Tokens = 'jwt' | 'opaque';

/** One list that the provider serves. */
export interface Resource {
  /** Path below the base URL, for instance `/v1/printers`. */
  readonly path: string;
  /** Number of records at the start. */
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
