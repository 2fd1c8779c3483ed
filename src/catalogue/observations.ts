import type { Observation } from '../core/requirement.ts';

/** What the specification leaves open: looked at and shown, never failed. */
export const observations: readonly Observation[] = [
  {
    id: 'observe/unauthorized-answer',
    clause: ['7'],
    of: 'How a call without the Authorization header is refused: status, WWW-Authenticate, body. Worth a look unless it is 401.',
    advice:
      'RFC 6750, section 3: answer 401 with WWW-Authenticate: Bearer, so that clients know that a token is asked for.',
  },
  {
    id: 'observe/invalid-token-answer',
    clause: ['7'],
    of: 'How a token that was never issued is refused: status, WWW-Authenticate, body. Worth a look unless it is 401.',
    advice:
      'RFC 6750, section 3.1: answer 401 with WWW-Authenticate: Bearer error="invalid_token", so that clients get a new token.',
  },
  {
    id: 'observe/token-error-answer',
    clause: ['7'],
    of: 'Status and error code (RFC 6749 section 5.2) of token requests that are refused.',
    advice:
      'RFC 6749, section 5.2: answer 400 (401 for a client that fails to authenticate) with a JSON object whose error is one of its codes.',
  },
  {
    id: 'observe/token-cache-headers',
    clause: ['4.1'],
    of: 'Cache-Control and Pragma of the token answer. Worth a look unless it says no-store.',
    advice:
      'RFC 6749, section 5.1: send Cache-Control: no-store and Pragma: no-cache, so that no cache keeps a token.',
  },
  {
    id: 'observe/token-format',
    clause: ['2.1'],
    of: 'Whether the token is a JWT or opaque; of a JWT the algorithm, the audience, exp less iat, and where that differs from expires_in.',
    advice:
      'RFC 7519, section 4.1: exp is a time; clients trust expires_in, so the two have to tell the same end.',
  },
  {
    id: 'observe/token-reuse',
    clause: ['5.3'],
    of: 'Whether a second request brings the same token or a new one, and whether the first one stays valid.',
    advice:
      'A provider that hands the same token out again should lower expires_in accordingly (RFC 6749, section 5.1).',
  },
  {
    id: 'observe/scope-omitted',
    clause: ['4.1'],
    of: 'What a token request without a scope obtains.',
    advice: 'RFC 6749, section 3.3: either apply a documented default scope, or refuse with invalid_scope.',
  },
  {
    id: 'observe/granted-scope',
    clause: ['2.1'],
    of: 'How the granted scopes compare with the requested ones.',
    advice:
      'RFC 6749, section 3.3: where the granted scope differs from the requested one, say so in scope; clients should check it.',
  },
  {
    id: 'observe/grant-type-spelling',
    clause: ['4.1'],
    of: 'What grant_type in other letter case, or with white space around it, obtains.',
    advice: 'RFC 6749, section 4.4.2 gives the value as client_credentials; clients should send just that.',
  },
  {
    id: 'observe/token-request-json',
    clause: ['4.1'],
    of: 'What a token request with a JSON body obtains.',
    advice: 'RFC 6749, section 4.4.2 asks for form encoding; clients should not rely on JSON.',
  },
  {
    id: 'observe/token-get',
    clause: ['4.1'],
    of: 'What a token request by GET, with its parameters in the query, obtains.',
    advice: 'RFC 6749, sections 2.3.1 and 3.2: clients use POST, and credentials never stand in a URL.',
  },
  {
    id: 'observe/scheme-case',
    clause: ['5.1'],
    of: 'Whether the scheme may be spelled bearer or BEARER.',
    advice:
      'RFC 9110, section 11.1: the name of an authentication scheme is read without regard to letter case; clients do well to send Bearer.',
  },
  {
    id: 'observe/tenant-missing',
    clause: ['5.7'],
    of: 'What the list call gives without the Tenant header.',
    advice: null,
  },
  {
    id: 'observe/tenant-unknown',
    clause: ['5.7'],
    of: 'What the list call gives for a tenant that nobody knows. Worth a look where it gives records.',
    advice: 'Where tenants matter, an unknown one should be given no records.',
  },
  {
    id: 'observe/accept',
    clause: ['4.2'],
    of: 'What the list call gives for another Accept header, and for none.',
    advice:
      'RFC 9110, section 12.5.1: without an Accept header any type will do; a type that cannot be served may be answered 406 or disregarded.',
  },
  {
    id: 'observe/content-type',
    clause: ['2.3'],
    of: 'Content-Type of token answers and list answers. Worth a look unless it is JSON.',
    advice:
      'RFC 8259, section 11: the media type of JSON is application/json; some clients read nothing else.',
  },
  {
    id: 'observe/page-size-above-maximum',
    clause: ['8'],
    of: 'Whether a $pagesize above 500 is capped at 500, refused, or something else.',
    advice: null,
  },
  {
    id: 'observe/page-size-invalid',
    clause: ['4.2'],
    of: 'What $pagesize does when it is zero, negative, fractional, empty, no number, past 32 or 64 bits, or given twice. Worth a look at any 5xx.',
    advice: "RFC 9110, section 15.5.1: a value that cannot be read is the client's error (400), never a 5xx.",
  },
  {
    id: 'observe/count-value-forms',
    clause: ['4.2'],
    of: 'What $count does when it is TRUE, True, 1, yes, empty, or given twice.',
    advice: null,
  },
  {
    id: 'observe/count-without-enabling',
    clause: ['2.3'],
    of: 'Whether count is given although $count was not enabled.',
    advice: null,
  },
  {
    id: 'observe/null-members',
    clause: ['2.3'],
    of: 'Whether nextPageLink or count is written as null where it should be left out; every rule takes null for absent. Worth a look.',
    advice:
      'Clients of typed languages often read null where a string is announced as a fault; leave the member out.',
  },
  {
    id: 'observe/further-members',
    clause: ['2.2', '2.3'],
    of: 'Names of members of envelopes and items beyond the specified ones.',
    advice: 'Clients should disregard members that they do not know, so that lists can grow.',
  },
  {
    id: 'observe/order',
    clause: ['4.3'],
    of: 'Whether the same request, repeated, gives the records in the same order.',
    advice: 'Offsets only make sense over a stable order; sort by something unique.',
  },
  {
    id: 'observe/skip-beyond-the-end',
    clause: ['4.3.3'],
    of: 'What $skip gives at N, past N, when it is negative, and when it is no number. Worth a look at any 5xx.',
    advice:
      "RFC 9110, section 15.5.1: an offset that cannot be read is the client's error (400), never a 5xx; beyond the end an empty page is the usual answer.",
  },
  {
    id: 'observe/unknown-parameter',
    clause: ['4.2'],
    of: 'What a query parameter that nobody knows does, with a $ and without one.',
    advice: null,
  },
  {
    id: 'observe/methods',
    clause: ['4.2'],
    of: 'What HEAD, OPTIONS, POST, PUT and DELETE on the list path give without a token; never sent with one, and only where the target file allows it. Worth a look when any is answered 2xx with records.',
    advice: 'RFC 9110, section 15.5.6: answer a method that is not offered with 405 and an Allow header.',
  },
  {
    id: 'observe/rate-limit',
    clause: ['8'],
    of: '429 answers, Retry-After and RateLimit headers that the run met.',
    advice:
      'RFC 6585, section 4 and RFC 9110, section 10.2.3: answer 429 with Retry-After, and clients wait that long.',
  },
  {
    id: 'observe/server-errors',
    clause: ['7'],
    of: 'Every 5xx answer that the run met, with the request that caused it. Worth a look.',
    advice:
      'RFC 9110, section 15.6: a 5xx says that the server failed; requests that are merely unusual should get a 4xx.',
  },
  {
    id: 'observe/compression',
    clause: ['4.2'],
    of: 'Which Content-Encoding is offered when gzip and br are accepted.',
    advice:
      'RFC 9110, section 12.5.3: lists of records shrink well; offering gzip saves most of their bytes.',
  },
  {
    id: 'observe/transport',
    clause: ['4.2'],
    of: 'HTTP version, TLS version, expiry of the certificate, and whether connections are kept alive. Worth a look for plain http off loopback.',
    advice: 'RFC 6749, section 3.2 and RFC 6750, section 5.3: tokens and credentials travel over TLS only.',
  },
  {
    id: 'observe/latency',
    clause: ['8'],
    of: 'Median, 95th and 99th percentile and slowest answer, by page size and by the position of the page.',
    advice: null,
  },
];
