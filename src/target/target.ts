import { jwtOf } from '../core/jwt.ts';
import type { ExpirySetting, Product, Waiver } from '../core/results.ts';

/** A secret of a target, with the label that replaces it in all outputs. */
interface Secret {
  readonly secret: string;
  readonly label: string;
  /** The client it belongs to, for its Basic form; null for other secrets. */
  readonly clientId: string | null;
}

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

/** Limits of a run. Times are in milliseconds. */
export interface Limits {
  readonly requestsPerSecond: number;
  readonly concurrency: number;
  readonly maxRequests: number;
  readonly maxPages: number;
  /** Bytes of one decoded body. */
  readonly maxBodyBytes: number;
  /** Bytes of one decoded body of the token endpoint, if lower than `maxBodyBytes`. */
  readonly maxTokenBytes: number;
  /** Bytes of all decoded bodies of a run together. */
  readonly maxTotalBytes: number;
  /** Milliseconds until a connection is open, with the TLS handshake. */
  readonly connectTimeoutMs: number;
  /** From the request to the last byte of its answer. */
  readonly answerTimeoutMs: number;
  /** Retries after 429, 503, or a refused or stale connection. */
  readonly retries: number;
  /** Longest total wait for the retries of one request. */
  readonly maxRetryAfterMs: number;
  /** Bytes of status line and headers of one answer together. */
  readonly maxHeaderBytes: number;
  /** Headers of one answer. */
  readonly maxHeaders: number;
  /** Interim (1xx) answers before the answer itself. */
  readonly maxInterim: number;
  /** Nesting depth of one JSON body. */
  readonly maxJsonDepth: number;
  /** Bytes of one record, and of one other value in a larger answer. */
  readonly maxRecordBytes: number;
  /** Characters of one nextPageLink. */
  readonly maxLinkLength: number;
  /** Seconds from the first request of a run to its last. */
  readonly maxRunSeconds: number;
}

/** A provider and its configuration: validated, complete and frozen. */
export interface Target {
  readonly name: string;
  /** Base of the token endpoint, no trailing slash: POST `{authUrl}/connect/token`. */
  readonly authUrl: string;
  /** Base of the list calls, without a trailing slash; may contain a path. */
  readonly baseUrl: string;
  readonly tenant: string | null;
  /** The product that the provider runs, for certificates; null if the target file does not name it. */
  readonly product: Product | null;
  readonly credentials: Credentials;
  readonly otherCredentials: Credentials | null;
  readonly expiredToken: string | null;
  readonly resources: readonly Resource[];
  /** Additional headers of every list call. */
  readonly headers: { readonly [name: string]: string };
  /** Names of headers that the target file reads from the environment; absent in evidence of earlier builds. */
  readonly headersFromEnvironment?: readonly string[];
  readonly limits: Limits;
  readonly probes: {
    /** At most this many wrong-secret requests per client and run; 0 for none, null for as many as the suite sends. */
    readonly wrongCredentials: number | null;
    readonly methods: boolean;
  };
  readonly expiry: ExpirySetting;
  readonly evidence: 'full' | 'pseudonymous' | 'digest';
  /** Absolute paths of modules with custom checks. */
  readonly checks: readonly string[];
  /** Absolute paths of PEM files. */
  readonly tls: { readonly ca: string | null; readonly cert: string | null; readonly key: string | null };
  readonly waivers: readonly Waiver[];
  /** Path of the target file relative to the working folder, with slashes; null if there is none. */
  readonly file: string | null;
  /** Locations of values by key: `acme.yaml:7` or an environment variable. Empty for targets of the library. */
  readonly places: { readonly [key: string]: string };
  /** Whether it is the embedded reference provider on loopback, which needs no proxy. */
  readonly isEmbedded: boolean;
}

/** Characters of the shortest value from the environment that is a secret in any header: `2` and `staging` are none. */
const MIN_SECRET_CHARACTERS = 8;

/** Every secret of a target; secret headers are recognised by their names, by the environment, and by JWTs in them. */
export function secretsOf(target: Target): readonly Secret[] {
  const { credentials, otherCredentials, expiredToken, headers, headersFromEnvironment = [] } = target;
  const secrets: Secret[] = [
    { secret: credentials.clientSecret, label: 'client-secret', clientId: credentials.clientId },
  ];
  if (otherCredentials !== null) {
    const { clientId, clientSecret } = otherCredentials;
    secrets.push({ secret: clientSecret, label: 'other-client-secret', clientId });
  }
  if (expiredToken !== null) secrets.push({ secret: expiredToken, label: 'expired-token', clientId: null });
  for (const [name, value] of Object.entries(headers)) {
    const isFromEnvironment = headersFromEnvironment.includes(name) && value.length >= MIN_SECRET_CHARACTERS;
    const parts = [value, ...partsOf(value)];
    const jwts = parts.filter((part) => jwtOf(part) !== null);
    if (!isSecretHeader(name) && !isFromEnvironment && jwts.length === 0) continue;
    // A JWT comes first: a replay recognises the header by it.
    for (const secret of new Set([...jwts, ...parts]))
      secrets.push({ secret, label: `header-${name.toLowerCase()}`, clientId: null });
  }
  return secrets;
}

/** The parts of a header that may be secrets of their own: what follows a scheme, and the value of each cookie or parameter. */
function partsOf(header: string): readonly string[] {
  const words = header.split(/[\s,;]+/);
  const values = words.map((word) => word.slice(word.indexOf('=') + 1));
  return [...new Set([...words, ...values])].filter(
    (part) => part.length >= MIN_SECRET_CHARACTERS && part !== header,
  );
}

/** Whether a header with this name usually contains a secret. */
export function isSecretHeader(name: string): boolean {
  return /key|token|secret|auth|passw|cookie|credential|signature/i.test(name);
}
