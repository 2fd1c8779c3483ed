import { DEFAULT_LIMITS, makeTarget } from './make.ts';
import type { Credentials, Target } from './target.ts';

/** Name of the embedded reference provider, which is tested if no target is named. */
export const REFERENCE_NAME = 'reference-provider';

/** Records of the embedded reference provider. */
export const REFERENCE_RECORDS = 1234;

/** Requests per second: loopback needs no protection. */
const REFERENCE_RATE = 10_000;

/** Facts about the started reference provider. */
export interface ReferenceFacts {
  readonly authUrl: string;
  readonly baseUrl: string;
  readonly tenant: string | null;
  readonly credentials: Credentials;
  readonly otherCredentials: Credentials | null;
  readonly expiredToken: string | null;
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
