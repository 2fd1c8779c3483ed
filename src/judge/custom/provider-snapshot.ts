import type { Json } from '../../core/results.ts';
import type { Resource } from '../../target/target.ts';
import type { Answer, Findings } from './check-types.ts';

/** A query: text that is sent unchanged, or parameters whose values are percent-encoded. */
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
