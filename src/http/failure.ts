import type { Failure, FailureCode } from '../core/exchange.ts';
import { codeOf, describeSystemError } from '../core/system-error.ts';
import type { Limits } from '../target/target.ts';

/** The state of an attempt when it failed. What is absent had not happened. */
interface Situation {
  /** Origin of the request, for the message. */
  readonly origin: string;
  /** The proxy without credentials; null if there is none. */
  readonly proxy?: string | null;
  /** Whether the connection was established, including TLS. */
  readonly isConnected?: boolean;
  /** Whether the TCP connection was established, even if the TLS handshake was not complete. */
  readonly isReached?: boolean;
  /** Whether any byte of the answer arrived. */
  readonly isAnswered?: boolean;
  readonly maxHeaderBytes?: number;
}

/**
 * A failure that is not caused by an error.
 *
 * @param limit the limit that was exceeded; none if left out
 */
export function failure(code: FailureCode, message: string, limit?: keyof Limits): Failure {
  return { code, message, ...(limit === undefined ? {} : { limit }) };
}

/** Converts an error of node:http, node:tls or the operating system into a code and a message. */
export function failureFrom(error: unknown, situation: Situation): Failure {
  const code = codeOf(error) ?? '';
  const { origin } = situation;
  if (code === 'HPE_INVALID_EOF_STATE' && situation.isAnswered) return lostConnection(situation);
  if (code.startsWith('HPE_')) return parserFailure(code, situation);
  if (CERTIFICATE_CODES.test(code) || (error instanceof Error && error.message.includes('PEM')))
    return failure(tlsCode(code), `TLS with ${origin} failed: ${tlsReason(error, code)}`);
  if (situation.proxy != null && !situation.isConnected)
    return failure('proxy', `the proxy ${situation.proxy} did not connect to ${origin}${inBrackets(code)}`);
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
      return failure('unreachable', `there is no network route to ${origin} (${code})`);
    case 'EMFILE':
    case 'ENFILE':
      return failure(
        'unreachable',
        `no connection to ${origin} could be made: ${describeSystemError(error)} (${code})`,
      );
    case 'ETIMEDOUT':
      if (!situation.isReached)
        return failure('connect-timeout', `${origin} does not answer at all (${code})`);
  }
  // A gateway may reset a connection before the client sees that it was established.
  return situation.isReached || code === 'ECONNRESET'
    ? lostConnection(situation)
    : failure('unreachable', `no connection to ${origin} could be made${inBrackets(code)}`);
}

function inBrackets(code: string): string {
  return code === '' ? '' : ` (${code})`;
}

function lostConnection({ origin, isConnected, isReached, isAnswered }: Situation): Failure {
  if (isReached && !isConnected && origin.startsWith('https:')) {
    return failure('tls', `TLS with ${origin} failed: the connection was closed during the handshake`);
  }
  if (isAnswered) {
    return failure('truncated', `${origin} closed the connection in the middle of its answer`);
  }
  return failure('closed', `${origin} closed the connection without an answer`);
}

function parserFailure(code: string, { origin, maxHeaderBytes }: Situation): Failure {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const limit = `${maxHeaderBytes} bytes (limits.maxHeaderBytes)`;
    return failure('headers-too-large', `${origin} sent headers of more than ${limit}`, 'maxHeaderBytes');
  }
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return failure('malformed', `${origin} sent too many chunk extensions`);
  }
  return failure('malformed', `${origin} sent an answer that is not valid HTTP (${code})`);
}

const CERTIFICATE_CODES =
  /^(ERR_TLS_|ERR_SSL_|ERR_OSSL_|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO$|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH_)/;

/** Alerts by which a server refuses the certificate of a client, or that there is none. */
const CLIENT_CERTIFICATE_ALERTS =
  /^ERR_SSL_(TLSV13_ALERT_CERTIFICATE_REQUIRED|(SSLV3|TLSV1)_ALERT_(NO_CERTIFICATE|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_(REVOKED|EXPIRED|UNKNOWN)|UNKNOWN_CA))$/;

/** The server's certificate is not signed by a known authority. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT(_LOCALLY)?|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;

function tlsCode(code: string): FailureCode {
  if (CLIENT_CERTIFICATE_ALERTS.test(code)) return 'client-certificate';
  return UNTRUSTED.test(code) ? 'untrusted' : 'tls';
}

function tlsReason(error: unknown, code: string): string {
  if (UNTRUSTED.test(code))
    return `its certificate is not signed by a trusted authority (${code}); name its authority under tls.ca`;
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return 'its certificate has expired';
    case 'CERT_NOT_YET_VALID':
      return 'its certificate is not valid yet; check both clocks';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'its certificate is issued for another name';
    default:
      return opensslReason(error, code);
  }
}

// OpenSSL's message is `error:0A000410:SSL routines::ssl/tls alert handshake failure` plus a file and a line;
// only the reason is useful.
function opensslReason(error: unknown, code: string): string {
  const text = error instanceof Error ? error.message : '';
  const routineError = /routines:[^:]*:([^:\n]+)/.exec(text)?.[1]?.trim();
  if (routineError === 'wrong version number')
    return 'the server does not speak TLS there, but perhaps plain http';
  return routineError === undefined ? code || 'the handshake could not be made' : routineError;
}

/** Why a run was stopped; the reason of the client's abort signal. */
export class Stop extends Error {
  override readonly name = 'Stop';
  readonly code: Extract<FailureCode, 'interrupted' | 'time-limit'>;

  private constructor(code: Stop['code'], message: string) {
    super(message);
    this.code = code;
  }

  static interrupted(): Stop {
    return new Stop('interrupted', 'the run was stopped');
  }

  /** The run exceeded limits.maxRunSeconds, which is `seconds`. */
  static outOfTime(seconds: number): Stop {
    return new Stop('time-limit', `the time limit of ${seconds} s (limits.maxRunSeconds) was reached`);
  }
}

/** The failure of a request that was aborted by a stop; `before` completes the sentence, such as `this was sent`. */
export function stopped(signal: AbortSignal, before: string): Failure {
  const stop: unknown = signal.reason;
  const { code, message } = stop instanceof Stop ? stop : Stop.interrupted();
  return failure(code, `${message} before ${before}`);
}
