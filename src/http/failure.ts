import type { Failure, FailureCode } from '../core/exchange.ts';
import { describeSystemError } from '../core/system-error.ts';

/** What is known of an attempt at the moment it broke. */
export interface Situation {
  /** Where the request went, for the sentence. */
  readonly origin: string;
  /** The proxy in between, without its credentials; null where there is none. */
  readonly proxy: string | null;
  /** Whether the connection, TLS included, was made. */
  readonly connected: boolean;
  /** Whether TCP stood, though the TLS handshake may not have. */
  readonly reached: boolean;
  /** Whether any byte of the answer arrived. */
  readonly answered: boolean;
  readonly maxHeaderBytes: number;
}

/** A failure that is known by its code before anything breaks on the socket. */
export function failure(code: FailureCode, message: string): Failure {
  return { code, message };
}

/** Puts what node:http, node:tls or the operating system threw into a code and a sentence. */
export function failureFrom(error: unknown, situation: Situation): Failure {
  const code = codeOf(error);
  const { origin } = situation;
  if (code.startsWith('HPE_')) return parserFailure(code, situation);
  if (isTls(error, code)) return failure('tls', `TLS with ${origin} failed: ${tlsReason(error, code)}`);
  if (situation.proxy !== null && !situation.connected) return proxyFailure(situation, code);
  switch (code) {
    case 'ECONNREFUSED':
      return failure('refused', `${origin} refuses the connection: nothing listens on that port`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
    case 'EAI_NODATA':
      return failure('unresolved', `the name in ${origin} has no address (${code})`);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EHOSTDOWN':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
    case 'EACCES':
    case 'EPERM':
      return failure('unreachable', `the network does not lead to ${origin} (${code})`);
    case 'EMFILE':
    case 'ENFILE':
      return failure(
        'unreachable',
        `no connection to ${origin} could be made: ${describeSystemError(error)} (${code})`,
      );
    case 'ETIMEDOUT':
      if (!situation.reached) return failure('connect-timeout', `${origin} does not answer at all (${code})`);
  }
  return situation.reached ? lostConnection(situation) : unreachable(situation, code);
}

function unreachable({ origin }: Situation, code: string): Failure {
  return failure('unreachable', `no connection to ${origin} could be made${code === '' ? '' : ` (${code})`}`);
}

function lostConnection({ origin, connected, answered }: Situation): Failure {
  if (!connected && origin.startsWith('https:')) {
    return failure('tls', `TLS with ${origin} failed: the connection was closed during the handshake`);
  }
  if (answered) {
    return failure('truncated', `${origin} closed the connection in the middle of its answer`);
  }
  return failure('closed', `${origin} closed the connection without an answer`);
}

function parserFailure(code: string, { origin, answered, maxHeaderBytes }: Situation): Failure {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const limit = `${maxHeaderBytes} bytes (limits.maxHeaderBytes)`;
    return failure('headers-too-large', `${origin} sent headers of more than ${limit}`);
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return failure('malformed', `${origin} sent chunk extensions without end`);
  }
  if (code === 'HPE_INVALID_EOF_STATE' && answered) {
    return failure('truncated', `${origin} closed the connection in the middle of its answer`);
  }
  return failure('malformed', `${origin} sent an answer that is not valid HTTP (${code})`);
}

function proxyFailure({ proxy, origin }: Situation, code: string): Failure {
  const because = code === '' ? '' : ` (${code})`;
  return failure('proxy', `the proxy ${proxy} gave no way to ${origin}${because}`);
}

/** The `code` of a system, parser or TLS error; of the first of several addresses; empty where there is none. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return '';
}

const CERTIFICATE_CODES =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH_)/;

function isTls(error: unknown, code: string): boolean {
  return CERTIFICATE_CODES.test(code) || (error instanceof Error && error.message.includes('PEM'));
}

function tlsReason(error: unknown, code: string): string {
  switch (code) {
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return `no trusted authority vouches for its certificate (${code}); name its authority under tls.ca`;
    case 'CERT_HAS_EXPIRED':
      return 'its certificate has expired';
    case 'CERT_NOT_YET_VALID':
      return 'its certificate is not valid yet; look at both clocks';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'its certificate is made out to another name';
    default:
      return opensslReason(error, code);
  }
}

// OpenSSL's own words are `error:0A000410:SSL routines::ssl/tls alert handshake failure`, with a file and a
// line of its source behind them; the reason is the part a person can use.
function opensslReason(error: unknown, code: string): string {
  const text = error instanceof Error ? error.message : '';
  const words = /routines:[^:]*:([^:\n]+)/.exec(text)?.[1]?.trim();
  if (words === 'wrong version number') return 'the server does not speak TLS there, but perhaps plain http';
  return words === undefined ? code || 'the handshake could not be made' : words;
}
