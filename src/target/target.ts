import type { Product, Waiver } from '../core/results.ts';

/** Client credentials of one provider. `clientSecret` never leaves the process unredacted. */
export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scopes separated by single spaces. */
  readonly scope: string;
}

/** One list of the provider. */
export interface Resource {
  readonly name: string;
  /** Path below `baseUrl`, with its leading slash: `/v1/printers`. */
  readonly path: string;
  /** Name of a built-in schema (`printer`) or absolute path of a JSON Schema file. */
  readonly itemSchema: string;
  /** Member of an item that identifies it. */
  readonly idField: string;
}

/** Bounds that a run keeps. Times in milliseconds. */
export interface Limits {
  readonly requestsPerSecond: number;
  readonly concurrency: number;
  readonly maxRequests: number;
  readonly maxPages: number;
  /** Bytes of one body after its content coding is undone. */
  readonly maxBodyBytes: number;
  /** Bytes of one body of the token endpoint, where fewer than `maxBodyBytes`. */
  readonly maxTokenBytes: number;
  /** Bytes of all bodies of a run together, after their content codings are undone. */
  readonly maxTotalBytes: number;
  readonly connectTimeoutMs: number;
  /** From the request to the last byte of its answer. */
  readonly answerTimeoutMs: number;
  /** Repetitions after 429, 503, a refused connection or a stale one. */
  readonly retries: number;
  /** Longest Retry-After that is waited for. */
  readonly maxRetryAfterMs: number;
  /** Bytes of status line and headers of one answer together. */
  readonly maxHeaderBytes: number;
  /** Headers of one answer. */
  readonly maxHeaders: number;
  /** Interim (1xx) answers before the answer itself. */
  readonly maxInterim: number;
  /** Arrays and objects within each other in one JSON body. */
  readonly maxJsonDepth: number;
  /** Bytes of one record, and of one other value in a larger answer. */
  readonly maxRecordBytes: number;
  /** Characters of one nextPageLink. */
  readonly maxLinkLength: number;
  /** Seconds from the first request of a run to its last. */
  readonly maxRunSeconds: number;
}

/** Where a provider is and how to reach it: validated, complete and frozen. */
export interface Target {
  readonly name: string;
  /** Base of the token endpoint, no trailing slash: POST `{authUrl}/connect/token`. */
  readonly authUrl: string;
  /** Base of the list calls, no trailing slash; may have a path of its own. */
  readonly baseUrl: string;
  readonly tenant: string | null;
  /** What the provider runs, for certificates; null where the target file does not say. */
  readonly product: Product | null;
  readonly credentials: Credentials;
  readonly otherCredentials: Credentials | null;
  readonly expiredToken: string | null;
  readonly resources: readonly Resource[];
  /** Further headers of every list call. */
  readonly headers: { readonly [name: string]: string };
  readonly limits: Limits;
  readonly probes: {
    /** At most this many wrong-secret requests per client and run; 0 for none. */
    readonly wrongCredentials: number;
    readonly methods: boolean;
  };
  readonly expiry: {
    readonly toleranceSeconds: number;
    /** How many times faster than ours the provider's clock runs; 1 for all but mocks. */
    readonly clockRate: number;
  };
  readonly evidence: 'full' | 'pseudonymous' | 'digest';
  /** Absolute paths of modules with checks of the user's own. */
  readonly checks: readonly string[];
  /** Absolute paths of PEM files. */
  readonly tls: { readonly ca: string | null; readonly cert: string | null; readonly key: string | null };
  readonly waivers: readonly Waiver[];
  /** Where values come from, by key: `acme.yaml:7`, or the variable of the environment. Empty for targets of the library. */
  readonly places: { readonly [key: string]: string };
  /** Whether Assay itself serves it, on loopback: no proxy leads there. */
  readonly isEmbedded: boolean;
}
