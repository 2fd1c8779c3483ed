import type { Json } from '../../core/results.ts';
import type { Resource } from '../../target/target.ts';
import type { Answer, Findings } from './check-types.ts';

/** A query: text that is sent as it stands, or parameters whose values are percent-encoded. */
export type Query = string | { readonly [name: string]: string | number | boolean };

/** One record of a list with where it stood. */
export interface Placed {
  readonly record: Json;
  /** The member that the target file names as idField; undefined where the record has none. */
  readonly id: Json | undefined;
  /** Position in the whole list, from 0. */
  readonly position: number;
  /** The page that gave it. */
  readonly page: Answer;
}

/** One snapshot of a list. Where a breach shows, the check is carried out again on a fresh one. */
export interface ListSnapshot extends Findings {
  /** Name, path, schema and idField, from the target file. */
  readonly resource: Resource;
  /** GET with the token and a query; each query is asked once per snapshot. */
  get(query?: Query): Promise<Answer>;
  /** The records of the whole list, page by page along its links; inconclusive where the links do not lead to the end. */
  records(options?: { readonly pageSize?: number }): AsyncIterable<Placed>;
  /** GET with headers of your own, always asked anew. Without `authorization` the token is sent; null sends none. */
  call(options: {
    readonly query?: Query;
    readonly headers?: { readonly [name: string]: string };
    readonly authorization?: string | null;
  }): Promise<Answer>;
}

/** What the token endpoint answers. Where a breach shows, the check is carried out again with a fresh token. */
export interface TokenSnapshot extends Findings {
  /** The answer to the request that the specification describes. */
  answer(): Promise<Answer>;
  /** Header and payload of the token where it is a JWT, not verified; null for any other token. */
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

/** What a check is given: the list it judges, and the token endpoint. */
export interface ProviderSnapshot {
  readonly list: ListSnapshot;
  readonly token: TokenSnapshot;
}
