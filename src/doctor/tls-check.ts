import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { failureFrom } from '../http/failure.ts';
import { CertificateFileError, secureContextOf } from '../http/route.ts';
import { originDiagnosis } from '../provider/diagnosis.ts';
import type { ConnectivityOptions } from './connectivity-options.ts';
import { makeStep, type Step } from './diagnosis-step.ts';
import { capitalised, hostOf, portOf } from './text.ts';

/** Days before the expiry of a certificate at which warnings start. */
const EXPIRY_NOTICE_DAYS = 30;

const DAY_MS = 86_400_000;

/** Performs the TLS handshake as a run would, and checks the expiry of the certificate chain. */
export async function checkTls(url: URL, { target, now }: ConnectivityOptions): Promise<readonly Step[]> {
  const host = hostOf(url);
  try {
    const socket = await connectTls(url, target);
    const steps = [describeHandshake(socket, url), checkExpiry(socket.getPeerCertificate(true), host, now)];
    socket.destroy();
    return steps;
  } catch (error) {
    if (error instanceof CertificateFileError)
      return [makeStep('tls', 'problem', `${capitalised(error.message)}.`)];
    const situation = { origin: url.origin, proxy: null, connected: false, reached: true, answered: false };
    const failure = failureFrom(error, { ...situation, maxHeaderBytes: 0 });
    return [
      makeStep('tls', 'problem', `${capitalised(originDiagnosis(failure, url.origin, target).sentence)}.`),
    ];
  }
}

function connectTls(url: URL, { tls, limits }: ConnectivityOptions['target']): Promise<TLSSocket> {
  const host = hostOf(url);
  const context = secureContextOf(tls);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: portOf(url),
      // SNI allows host names only, no addresses.
      ...(/^[\d.]+$|:/u.test(host) ? {} : { servername: host }),
      ...(context === undefined ? {} : { secureContext: context }),
    });
    socket.setTimeout(limits.connectTimeoutMs, () => {
      socket.destroy(new Error('the TLS handshake timed out (limits.connectTimeoutMs)'));
    });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed during the handshake')));
  });
}

function describeHandshake(socket: TLSSocket, { host }: URL): Step {
  const issuers = chainOf(socket.getPeerCertificate(true)).map(nameOf);
  const [own = 'a certificate without a name', ...above] = issuers;
  const chain = above.length === 0 ? own : `${own}, issued by ${above.join(', then ')}`;
  return makeStep(
    'tls',
    'ok',
    `${host} uses ${socket.getProtocol() ?? 'TLS'}, and its certificate is trusted: ${chain}.`,
  );
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
  return makeStep(
    'tls',
    days < EXPIRY_NOTICE_DAYS ? 'warning' : 'ok',
    `${which} expires on ${day}, in ${days} ${days === 1 ? 'day' : 'days'}.`,
  );
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
