import { connect, type PeerCertificate, type TLSSocket } from 'node:tls';
import { failureFrom } from '../http/failure.ts';
import { CertificateFileError, secureContextOf } from '../http/route.ts';
import { originDiagnosis } from '../provider/diagnosis.ts';
import type { ConnectivityOptions } from './connectivity-options.ts';
import { makeStep, type Step } from './diagnosis-step.ts';
import { capitalised, hostOf, portOf } from './text.ts';

/** Days before the end of a certificate from which on it is worth a word. */
const EXPIRY_NOTICE_DAYS = 30;

const DAY_MS = 86_400_000;

/** Shakes hands with an origin as a run would, and reads the chain of certificates. */
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
      // An address is no name that a server could choose its certificate by.
      ...(/^[\d.]+$|:/u.test(host) ? {} : { servername: host }),
      ...(context === undefined ? {} : { secureContext: context }),
    });
    socket.setTimeout(limits.connectTimeoutMs, () => {
      socket.destroy(new Error('the handshake did not end in time'));
    });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed during the handshake')));
  });
}

function describeHandshake(socket: TLSSocket, { host }: URL): Step {
  const issuers = chainOf(socket.getPeerCertificate(true)).map(nameOf);
  const [own = 'a certificate without a name', ...above] = issuers;
  const chain = above.length === 0 ? own : `${own}, vouched for by ${above.join(', then ')}`;
  return makeStep(
    'tls',
    'ok',
    `${host} speaks ${socket.getProtocol() ?? 'TLS'}, and its certificate is trusted: ${chain}.`,
  );
}

function checkExpiry(leaf: PeerCertificate, host: string, now: number): Step {
  // Of all that have to be valid, the first to end decides.
  const [first = leaf] = chainOf(leaf).toSorted((one, other) => endOf(one) - endOf(other));
  const days = Math.floor((endOf(first) - now) / DAY_MS);
  const which =
    first === leaf ? `The certificate of ${host}` : `${nameOf(first)}, which vouches for ${host},`;
  const day = new Date(endOf(first)).toISOString().slice(0, 10);
  return makeStep(
    'tls',
    days < EXPIRY_NOTICE_DAYS ? 'warning' : 'ok',
    `${which} ends on ${day}, in ${days} ${days === 1 ? 'day' : 'days'}.`,
  );
}

// The chain ends where a certificate vouches for itself.
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
