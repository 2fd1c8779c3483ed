import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { type PeerCertificate, connect as startTls, type TLSSocket } from 'node:tls';
import { DAY_MS } from '../core/clock.ts';
import type { Failure } from '../core/exchange.ts';
import { codeOf, messageOf } from '../core/system-error.ts';
import { handshakeTimeout } from '../http/attempt-timer.ts';
import { failureFrom } from '../http/failure.ts';
import { portOf, proxyFor, proxyVariable } from '../http/proxy.ts';
import { CertificateFileError, hostOf, secureContextOf } from '../http/route.ts';
import { originDiagnosis } from '../provider/failure-diagnosis.ts';
import type { Target } from '../target/target.ts';

/** The result of one check: `problem` prevents a run. */
export type StepStatus = 'ok' | 'warning' | 'problem';

type StepName =
  | 'target'
  | 'proxy'
  | 'dns'
  | 'tcp'
  | 'tls'
  | 'token'
  | 'list'
  | 'clock'
  | 'requirements'
  | 'cost';

/** One check with its result. */
export interface Step {
  readonly step: StepName;
  readonly finding: StepStatus;
  readonly sentence: string;
}

export function makeStep(name: StepName, finding: StepStatus, sentence: string): Step {
  return { step: name, finding, sentence };
}

/** The text with an initial capital, unless it starts with a URL. */
export function capitalised(text: string): string {
  return /^https?:/u.test(text) ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A duration: `12 ms`. */
export function formatMs(time: number): string {
  return time < 1 ? 'less than 1 ms' : `${Math.round(time)} ms`;
}

/** Days before the expiry of a certificate at which warnings start. */
const EXPIRY_NOTICE_DAYS = 30;

interface ConnectivityOptions {
  readonly target: Target;
  readonly env: NodeJS.ProcessEnv;
  /** Current time in milliseconds since the epoch, compared with the end of certificates. */
  readonly now: number;
}

/** Checks proxy, DNS, TCP and TLS of an origin, and stops at the first problem. */
export async function checkConnectivity(
  origin: string,
  options: ConnectivityOptions,
): Promise<readonly Step[]> {
  const url = new URL(origin);
  let proxy: URL | null;
  try {
    proxy = proxyFor(url, options.env);
  } catch (error) {
    return [makeStep('proxy', 'problem', `${messageOf(error)}.`)];
  }
  if (proxy !== null) return checkProxy(url, proxy, options);
  const steps: Step[] = [await checkName(url, options)];
  if (steps.some(({ finding }) => finding === 'problem')) return steps;
  steps.push(await checkConnection(url, options));
  if (url.protocol === 'https:' && steps.every(({ finding }) => finding !== 'problem'))
    steps.push(...(await checkTls(url, options)));
  return steps;
}

async function checkProxy(url: URL, proxy: URL, options: ConnectivityOptions): Promise<readonly Step[]> {
  const way = `${url.origin} is reached through the proxy ${proxy.origin} (${proxyVariable(url)})`;
  const sentence = `${way}, which resolves its address; the checks end at the proxy.`;
  return [makeStep('proxy', 'ok', sentence), await checkConnection(proxy, options, url)];
}

async function checkName(url: URL, { target }: ConnectivityOptions): Promise<Step> {
  const host = hostOf(url);
  try {
    const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
    const result =
      addresses.length === 1 && addresses[0] === host
        ? 'is an address'
        : `resolves to ${listAddresses(addresses)}`;
    return makeStep('dns', 'ok', `${host} ${result}.`);
  } catch (error) {
    const code = codeOf(error) ?? String(error);
    const failure = { code: 'unresolved', message: `the name ${host} has no address (${code})` } as const;
    return failedStep('dns', failure, url.origin, target);
  }
}

function failedStep(name: Step['step'], failure: Failure, origin: string, target: Target): Step {
  return makeStep(name, 'problem', `${capitalised(originDiagnosis(failure, origin, target).sentence)}.`);
}

function listAddresses(addresses: readonly string[]): string {
  const listed = addresses.slice(0, 3).join(', ');
  return addresses.length > 3 ? `${listed} and ${addresses.length - 3} more` : listed;
}

/** @param behind the URL that is reached through this one, a proxy */
async function checkConnection(
  url: URL,
  { target }: ConnectivityOptions,
  behind: URL | null = null,
): Promise<Step> {
  const { origin } = url;
  const startedAt = performance.now();
  const timeout = target.limits.connectTimeoutMs;
  const failure = await new Promise<Failure | null>((resolve) => {
    const socket = connect({ host: hostOf(url), port: portOf(url), timeout });
    const finish = (result: Failure | null): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once('close', () => finish({ code: 'closed', message: 'the connection was closed' }));
    socket.once('connect', () => finish(null));
    socket.once('timeout', () =>
      finish({
        code: 'connect-timeout',
        message: `${origin} does not answer within ${timeout} milliseconds (limits.connectTimeoutMs)`,
      }),
    );
    socket.once('error', (error) => finish(failureFrom(error, { origin })));
  });
  if (failure !== null && behind !== null)
    return failedStep('tcp', { ...failure, code: 'proxy' }, behind.origin, target);
  if (failure !== null) return failedStep('tcp', failure, origin, target);
  const took = formatMs(performance.now() - startedAt);
  return makeStep('tcp', 'ok', `${url.host} accepts connections (${took}).`);
}

/** Performs the TLS handshake as a run would, and checks the expiry of the certificate chain. */
async function checkTls(url: URL, { target, now }: ConnectivityOptions): Promise<readonly Step[]> {
  const host = hostOf(url);
  try {
    const socket = await connectTls(url, target);
    const steps = [describeHandshake(socket, url), checkExpiry(socket.getPeerCertificate(true), host, now)];
    socket.destroy();
    return steps;
  } catch (error) {
    if (error instanceof CertificateFileError)
      return [makeStep('tls', 'problem', `${capitalised(error.message)}.`)];
    const { origin } = url;
    const cause =
      error instanceof HandshakeTimeout
        ? handshakeTimeout(origin, target.limits)
        : failureFrom(error, { origin, isReached: true });
    return [failedStep('tls', cause, origin, target)];
  }
}

/** The TLS handshake took longer than limits.connectTimeoutMs. */
class HandshakeTimeout extends Error {}

function connectTls(url: URL, { tls, limits }: ConnectivityOptions['target']): Promise<TLSSocket> {
  const host = hostOf(url);
  const context = secureContextOf(tls);
  return new Promise((resolve, reject) => {
    const socket = startTls({
      host,
      port: portOf(url),
      // Also where NODE_TLS_REJECT_UNAUTHORIZED is 0.
      rejectUnauthorized: true,
      // SNI allows host names only, no addresses.
      ...(/^[\d.]+$|:/u.test(host) ? {} : { servername: host }),
      ...(context === undefined ? {} : { secureContext: context }),
    });
    socket.setTimeout(limits.connectTimeoutMs, () => socket.destroy(new HandshakeTimeout()));
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed during the handshake')));
  });
}

function describeHandshake(socket: TLSSocket, { host }: URL): Step {
  const issuers = chainOf(socket.getPeerCertificate(true)).map(nameOf);
  const [own = 'a certificate without a name', ...above] = issuers;
  const chain = above.length === 0 ? own : `${own}, issued by ${above.join(', then ')}`;
  const protocol = socket.getProtocol() ?? 'TLS';
  return makeStep('tls', 'ok', `${host} uses ${protocol}, and its certificate is trusted: ${chain}.`);
}

function checkExpiry(leaf: PeerCertificate, host: string, now: number): Step {
  // The certificate that expires first decides.
  const [first = leaf] = chainOf(leaf).toSorted((one, other) => endOf(one) - endOf(other));
  const days = Math.floor((endOf(first) - now) / DAY_MS);
  const which =
    first === leaf
      ? `The certificate of ${host}`
      : `The certificate of ${nameOf(first)}, an issuer for ${host},`;
  const day = new Date(endOf(first)).toISOString().slice(0, 10);
  const finding = days < EXPIRY_NOTICE_DAYS ? 'warning' : 'ok';
  return makeStep('tls', finding, `${which} expires on ${day}, in ${days} ${days === 1 ? 'day' : 'days'}.`);
}

// The root certificate is its own issuer.
function chainOf(leaf: PeerCertificate): readonly PeerCertificate[] {
  const chain: PeerCertificate[] = [];
  let next: PeerCertificate | undefined = leaf;
  while (next !== undefined && !chain.includes(next)) {
    chain.push(next);
    next = 'issuerCertificate' in next ? (next.issuerCertificate as PeerCertificate | undefined) : undefined;
  }
  return chain;
}

function endOf({ valid_to: end }: PeerCertificate): number {
  return Date.parse(end);
}

function nameOf({ subject }: PeerCertificate): string {
  const name = subject.CN ?? subject.O ?? 'a certificate without a name';
  return Array.isArray(name) ? name.join(', ') : name;
}
