import type { Cause } from '../core/cause.ts';
import type { Exchange, Failure, FailureCode } from '../core/exchange.ts';
import type { Target } from '../target/target.ts';
import {
  configuration,
  type Diagnosis,
  type Endpoint,
  keyOf,
  keyWithPlace,
  proxyDiagnosis,
} from './diagnosis.ts';
import { isTokenRequest } from './token-answer.ts';

/** Why an origin of a target cannot be reached, before any request is sent. */
export function originDiagnosis(failure: Failure, origin: string, target: Target): Diagnosis {
  const isAuth = new URL(target.authUrl).origin === origin;
  const request = { method: 'GET', origin, target: isAuth ? '/connect/token' : '/', headers: [], body: null };
  return failureDiagnosis(failure, { request, retry: 0 }, target);
}

/**
 * Why no complete answer came. `key` is that of the URL, or of the setting, that is likely wrong.
 *
 * @param hasAnswered whether the origin answered any request of the run: then the target file is not the cause
 */
export function failureDiagnosis(
  failure: Failure | null,
  { request, retry }: Pick<Exchange, 'request' | 'retry'>,
  target: Target,
  hasAnswered = false,
): Diagnosis {
  const isAuth = request.origin === new URL(target.authUrl).origin;
  const endpoint: Endpoint = isAuth && isTokenRequest(request) ? 'token' : 'list';
  const key = keyOf(endpoint);
  const said = failure?.message ?? 'no answer came';
  const plain = (cause: Cause): Diagnosis => ({ cause, verdict: 'inconclusive', sentence: said });
  switch (failure?.code) {
    case 'interrupted':
      return plain({ kind: 'interrupted' });
    case 'time-limit':
      return plain({ kind: 'limit', limit: 'maxRunSeconds' });
    // Evidence of older versions does not name the limit.
    case 'request-limit':
      return plain({ kind: 'limit', limit: failure.limit ?? 'maxRequests' });
    case 'body-too-large':
      return plain({ kind: 'limit', limit: failure.limit ?? 'maxBodyBytes' });
    case 'headers-too-large':
      return plain({ kind: 'limit', limit: failure.limit ?? 'maxHeaderBytes' });
    case 'forbidden-origin':
      return { cause: { kind: 'harness' }, verdict: 'error', sentence: said };
    case 'client-certificate':
      return configuration(
        'tls.cert',
        target.tls.cert === null
          ? `${said}. The provider demands a client certificate: name it and its key under tls.cert and tls.key`
          : `${said}. The provider does not accept the client certificate: check tls.cert and tls.key`,
      );
    case 'retry-later':
      if (failure.status !== undefined) return throttled(failure.status, said);
      return hasAnswered
        ? unanswered(`${said}. Run again when the provider answers, or with a higher limits.answerTimeoutMs`)
        : unreached(said, key, target);
  }
  if (hasAnswered) return unanswered(lostSentence(failure, said, shownTarget(request, endpoint), retry));
  switch (failure?.code) {
    case 'untrusted':
      if (target.tls.ca === null) return configuration('tls.ca', said);
      return configuration('tls.ca', `${said}. Check ${keyWithPlace(target, 'tls.ca')}`);
    case 'tls':
      return configuration(
        key,
        `${said}. Check ${keyWithPlace(target, key)}. Common mistakes: https where the server speaks http; a certificate that ` +
          'has expired or is for another host; a private authority that is missing in tls.ca; a missing client ' +
          'certificate (tls.cert and tls.key)',
      );
    case 'unresolved':
      return configuration(
        key,
        `${said}. Check ${keyWithPlace(target, key)}. Common mistakes: a mistyped host name; a name that only another network knows`,
      );
    case 'proxy':
      return proxyDiagnosis(said, endpoint, target);
    case 'malformed':
    case 'closed':
    case 'truncated':
      if (request.origin.startsWith('http:'))
        return unanswered(`${said}. Check ${keyWithPlace(target, key)}: it may need https in place of http`);
      return unanswered(
        target.tls.cert === null
          ? `${said}. If the provider demands a client certificate, name it and its key under tls.cert and tls.key`
          : said,
      );
    case 'encoding':
      return unanswered(
        `${said} (Content-Encoding). Look for the cause in the provider, or in a proxy that compresses its answers`,
      );
    default:
      return unreached(said, key, target);
  }
}

/** Characters of the longest request target that is shown with its query. */
const MAX_TARGET = 200;

/** Method and target of a request. A long query is left out, since redaction does not recognise part of a secret. */
function shownTarget({ method, target }: Exchange['request'], endpoint: Endpoint): string {
  const isShown = endpoint === 'list' && target.length <= MAX_TARGET;
  return `${method} ${isShown ? target : target.split('?', 1)[0]}`;
}

/** Failures of requests that reached the provider, or something before it. */
const FAILURES_OF_SENT_REQUESTS: readonly (FailureCode | undefined)[] = [
  'closed',
  'truncated',
  'malformed',
  'encoding',
  'answer-timeout',
];

/** Why one request got no answer from a provider that answers others. */
function lostSentence(failure: Failure | null, said: string, shown: string, retry: number): string {
  const often = retry === 0 ? '' : ` in any of ${retry + 1} attempts`;
  const advice = FAILURES_OF_SENT_REQUESTS.includes(failure?.code)
    ? 'look for this request in the logs of the provider and of any proxy or firewall'
    : 'run again when it can be reached';
  return `${shown} got no complete answer${often}: ${said}. The provider answered other requests of this run: ${advice}`;
}

function throttled(status: number, said: string): Diagnosis {
  const what =
    status === 429
      ? 'The provider limits requests: run again later, or with a lower limits.requestsPerSecond'
      : 'The provider is not available: run again when it answers';
  return { cause: { kind: 'unavailable', status }, verdict: 'inconclusive', sentence: `${said}. ${what}` };
}

function unreached(said: string, key: string, target: Target): Diagnosis {
  return unanswered(
    `${said}. Check ${keyWithPlace(target, key)}, and whether a firewall or VPN blocks the connection`,
  );
}

function unanswered(sentence: string): Diagnosis {
  return { cause: { kind: 'unavailable', status: null }, verdict: 'inconclusive', sentence };
}
