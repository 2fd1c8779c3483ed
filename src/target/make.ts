import { DEFAULT_EXPIRY, REFERENCE_NAME } from '../core/results.ts';
import type { Credentials, Limits, Resource, Target } from './target.ts';

export const REFERENCE_RECORDS = 1234;

/** Requests per second: loopback needs no protection. */
const REFERENCE_RATE = 10_000;

/** Facts about the started reference provider. */
export type ReferenceFacts = Pick<
  Target,
  'authUrl' | 'baseUrl' | 'tenant' | 'credentials' | 'otherCredentials' | 'expiredToken'
>;

export const DEFAULT_LIMITS: Limits = {
  requestsPerSecond: 20,
  concurrency: 4,
  maxRequests: 5000,
  maxPages: 20_000,
  maxBodyBytes: 67_108_864,
  maxTokenBytes: 1_048_576,
  maxTotalBytes: 4_294_967_296,
  connectTimeoutMs: 10_000,
  answerTimeoutMs: 30_000,
  retries: 3,
  maxRetryAfterMs: 60_000,
  maxHeaderBytes: 65_536,
  maxHeaders: 1000,
  maxInterim: 32,
  maxJsonDepth: 100,
  maxRecordBytes: 1_048_576,
  maxLinkLength: 8192,
  maxRunSeconds: 7200,
};

/** Default resources: the list that the specification describes. */
const DEFAULT_RESOURCES: readonly Resource[] = [
  { name: 'printers', path: '/v1/printers', itemSchema: 'printer', idField: 'id' },
];

/** The required parts of a target, and any others; limits and probes can be partial. */
export interface TargetParts extends Partial<Omit<Target, 'limits' | 'probes' | 'expiry' | 'tls'>> {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly credentials: Credentials;
  readonly limits?: Partial<Limits>;
  readonly probes?: Partial<Target['probes']>;
  readonly expiry?: Partial<Target['expiry']>;
  readonly tls?: Partial<Target['tls']>;
}

/** The validated content of a target file (schemas/target.schema.json). */
export interface TargetInput
  extends Omit<
    TargetParts,
    'resources' | 'tls' | 'file' | 'places' | 'isEmbedded' | 'headersFromEnvironment'
  > {
  readonly resources?: readonly (Pick<Resource, 'name' | 'path'> & Partial<Resource>)[];
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

/**
 * A complete target from its parts, with defaults, deeply frozen. For the embedded reference provider and for
 * users of the library. The parts are not validated; `loadTargets` validates files.
 *
 * The name defaults to the host of `baseUrl`. Trailing slashes of both URLs are removed.
 */
export function makeTarget(parts: TargetParts): Target {
  return deepFreeze({
    name: parts.name ?? new URL(parts.baseUrl).host,
    authUrl: withoutTrailingSlash(parts.authUrl),
    baseUrl: withoutTrailingSlash(parts.baseUrl),
    tenant: parts.tenant ?? null,
    product: parts.product ?? null,
    credentials: { ...parts.credentials },
    otherCredentials: parts.otherCredentials ? { ...parts.otherCredentials } : null,
    expiredToken: parts.expiredToken ?? null,
    resources: (parts.resources ?? DEFAULT_RESOURCES).map((resource) => ({ ...resource })),
    headers: { ...parts.headers },
    ...(parts.headersFromEnvironment === undefined
      ? {}
      : { headersFromEnvironment: [...parts.headersFromEnvironment] }),
    limits: { ...DEFAULT_LIMITS, ...parts.limits },
    probes: { wrongCredentials: null, methods: false, ...parts.probes },
    expiry: { ...DEFAULT_EXPIRY, ...parts.expiry },
    evidence: parts.evidence ?? 'full',
    checks: [...(parts.checks ?? [])],
    tls: { ca: null, cert: null, key: null, ...parts.tls },
    file: parts.file ?? null,
    places: { ...parts.places },
    waivers: (parts.waivers ?? []).map((waiver) => ({ ...waiver })),
    isEmbedded: parts.isEmbedded ?? false,
  });
}

/** The URL without trailing slashes, so that a path can be appended. */
function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** The path of `authUrl` or `baseUrl`: `''` or `/int`. */
export function basePathOf(url: string): string {
  return withoutTrailingSlash(new URL(url).pathname);
}

/** The origins of `authUrl` and `baseUrl`, without duplicates. */
export function originsOf(target: Pick<Target, 'authUrl' | 'baseUrl'>): readonly string[] {
  return [...new Set([new URL(target.authUrl).origin, new URL(target.baseUrl).origin])];
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) deepFreeze(member);
  }
  return Object.freeze(value);
}

/** Clock rate of the reference provider: with `expiry`, an hour lasts two seconds. */
export function referenceClockRate(expiry: boolean): number {
  return expiry ? 1800 : 1;
}

/** The embedded reference provider as a target, the same for every host. */
export function referenceTarget(
  facts: ReferenceFacts,
  options: { readonly expiry: boolean; readonly rate?: number | null; readonly maxRequests?: number | null },
): Target {
  return makeTarget({
    ...facts,
    name: REFERENCE_NAME,
    // With `expiry`, the run waits until its own token expires, which is stronger evidence.
    expiredToken: options.expiry ? null : facts.expiredToken,
    limits: {
      requestsPerSecond: options.rate ?? REFERENCE_RATE,
      maxRequests: options.maxRequests ?? DEFAULT_LIMITS.maxRequests,
    },
    expiry: { clockRate: referenceClockRate(options.expiry) },
    isEmbedded: true,
  });
}
