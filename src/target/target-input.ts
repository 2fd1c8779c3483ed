import type { Product, Waiver } from '../core/results.ts';
import type { Credentials, Limits, Target } from './target.ts';

/** The validated content of a target file (schemas/target.schema.json). */
export interface TargetInput {
  readonly name?: string;
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly tenant?: string;
  readonly product?: Product;
  readonly credentials: Credentials;
  readonly otherCredentials?: Credentials;
  readonly expiredToken?: string;
  readonly resources?: readonly {
    readonly name: string;
    readonly path: string;
    readonly itemSchema?: string;
    readonly idField?: string;
  }[];
  readonly headers?: { readonly [name: string]: string };
  readonly limits?: Partial<Limits>;
  readonly probes?: Partial<Target['probes']>;
  readonly expiry?: Partial<Target['expiry']>;
  readonly evidence?: Target['evidence'];
  readonly checks?: readonly string[];
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly waivers?: readonly Waiver[];
}
