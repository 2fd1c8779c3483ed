import { randomBytes } from 'node:crypto';
import type { LogLine } from './request-log.ts';
import type { Behaviour, Credentials, ProviderOptions, Resource, Scenario } from './scenario/scenario.ts';

/** Options of the reference provider; all are optional. */
export interface MockOptions extends ProviderOptions {
  /** TCP port; 0, the default, takes any free one. */
  readonly port?: number;
  /** Identifiers of the defects to commit, applied in this order. */
  readonly defects?: readonly string[];
  /** Wait before every answer, in milliseconds. 0 unless given. */
  readonly latencyMs?: number;
  /** The provider's clock in milliseconds since the epoch; by default the system clock at clockRate. */
  readonly clock?: () => number;
  /** Rules for requests. `latencyMs` overrides the latency of the scenario. */
  readonly scenario?: Behaviour;
  /** Serves the control endpoints below /__assay/ and keeps a log of requests; neither without it. */
  readonly control?: Control;
  /** Certificate and private key, PEM, for https; http without them. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** The options with all defaults. */
export type Settings = ReturnType<typeof resolveSettings>;

/** The most records a list may have. */
const MAX_RECORDS = 10_000_000;

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function randomText(length: number): string {
  for (;;) {
    const text = Array.from(randomBytes(length), (byte) =>
      ALPHANUMERIC.charAt(byte % ALPHANUMERIC.length),
    ).join('');
    // With upper and lower case letters, a case-insensitive comparison shows.
    if (/[A-Z]/.test(text) && /[a-z]/.test(text) && /[0-9]/.test(text)) return text;
  }
}

function randomCredentials(): Credentials {
  return {
    clientId: `Provider-${randomText(12)}`,
    clientSecret: randomText(40),
    scope: 'printers.read organization.read',
  };
}

function wholeNumber(name: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new RangeError(`${name} must be a whole number from 0 to ${most}, not ${value}`);
  }
  return value;
}

/** Adds the defaults. Throws RangeError that names the option that is out of bounds. */
export function resolveSettings(options: MockOptions) {
  const clockRate = options.clockRate ?? 1;
  if (!(clockRate > 0) || !Number.isFinite(clockRate)) {
    throw new RangeError(`clockRate must be above 0, not ${clockRate}`);
  }
  const records = wholeNumber('records', options.records ?? 1234, MAX_RECORDS);
  const basePath = options.basePath ?? '';
  if (basePath !== '' && !/^(\/[^/?#]+)+$/.test(basePath)) {
    throw new RangeError(`basePath must look like /int, not ${basePath}`);
  }
  return {
    port: wholeNumber('port', options.port ?? 0, 65_535),
    seed: wholeNumber('seed', options.seed ?? 1, 0xffff_ffff),
    tokens: options.tokens ?? 'jwt',
    latencyMs: wholeNumber('latencyMs', options.latencyMs ?? 0, 600_000),
    clockRate,
    resources: (options.resources ?? [{ path: '/v1/printers' }]).map(
      (resource): Resource => ({
        path: resource.path,
        records: wholeNumber('records', resource.records ?? records, MAX_RECORDS),
      }),
    ),
    basePath,
    credentials: options.credentials ?? randomCredentials(),
    otherCredentials: options.otherCredentials ?? randomCredentials(),
  };
}

/** Callbacks for the program that runs the mock. */
export interface Control {
  /** Called after each answered request. */
  readonly onLine?: (line: LogLine) => void;
  /** Parses a scenario that replaces the current one; throws an error that lists its problems. */
  readonly readScenario?: (text: string) => Promise<Scenario>;
}
