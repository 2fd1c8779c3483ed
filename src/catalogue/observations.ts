import type { Observation } from './requirement.ts';

/** What the specification leaves open: looked at and shown, never failed. */
export const observations: readonly Observation[] = [
  {
    id: 'observe/unauthorized-answer',
    clause: ['7'],
    of: 'How a call without the Authorization header is refused: status, WWW-Authenticate, body. Worth a look unless it is 401.',
  },
  {
    id: 'observe/invalid-token-answer',
    clause: ['7'],
    of: 'How a token that was never issued is refused: status, WWW-Authenticate, body. Worth a look unless it is 401.',
  },
  {
    id: 'observe/token-error-answer',
    clause: ['7'],
    of: 'Status and error code (RFC 6749 section 5.2) of token requests that are refused.',
  },
  {
    id: 'observe/token-cache-headers',
    clause: ['4.1'],
    of: 'Cache-Control and Pragma of the token answer. Worth a look unless it says no-store.',
  },
  {
    id: 'observe/token-format',
    clause: ['2.1'],
    of: 'Whether the token is a JWT or opaque; of a JWT the algorithm, the audience, exp less iat, and where that differs from expires_in.',
  },
  {
    id: 'observe/token-reuse',
    clause: ['5.3'],
    of: 'Whether a second request brings the same token or a new one, and whether the first one stays valid.',
  },
  { id: 'observe/scope-omitted', clause: ['4.1'], of: 'What a token request without a scope obtains.' },
  {
    id: 'observe/granted-scope',
    clause: ['2.1'],
    of: 'How the granted scopes compare with the requested ones.',
  },
  {
    id: 'observe/grant-type-spelling',
    clause: ['4.1'],
    of: 'What grant_type in other letter case, or with white space around it, obtains.',
  },
  { id: 'observe/token-request-json', clause: ['4.1'], of: 'What a token request with a JSON body obtains.' },
  {
    id: 'observe/token-get',
    clause: ['4.1'],
    of: 'What a token request by GET, with its parameters in the query, obtains.',
  },
  { id: 'observe/scheme-case', clause: ['5.1'], of: 'Whether the scheme may be spelled bearer or BEARER.' },
  {
    id: 'observe/tenant-missing',
    clause: ['5.7'],
    of: 'What the list call gives without the Tenant header.',
  },
  {
    id: 'observe/tenant-unknown',
    clause: ['5.7'],
    of: 'What the list call gives for a tenant that nobody knows. Worth a look where it gives records.',
  },
  {
    id: 'observe/accept',
    clause: ['4.2'],
    of: 'What the list call gives for another Accept header, and for none.',
  },
  {
    id: 'observe/content-type',
    clause: ['2.3'],
    of: 'Content-Type of token answers and list answers. Worth a look unless it is JSON.',
  },
  {
    id: 'observe/page-size-above-maximum',
    clause: ['8'],
    of: 'Whether a $pagesize above 500 is capped at 500, refused, or something else.',
  },
  {
    id: 'observe/page-size-invalid',
    clause: ['4.2'],
    of: 'What $pagesize does when it is zero, negative, fractional, empty, no number, past 32 or 64 bits, or given twice. Worth a look at any 5xx.',
  },
  {
    id: 'observe/count-value-forms',
    clause: ['4.2'],
    of: 'What $count does when it is TRUE, True, 1, yes, empty, or given twice.',
  },
  {
    id: 'observe/count-without-enabling',
    clause: ['2.3'],
    of: 'Whether count is given although $count was not enabled.',
  },
  {
    id: 'observe/null-members',
    clause: ['2.3'],
    of: 'Whether nextPageLink or count is written as null where it should be left out; every rule takes null for absent. Worth a look.',
  },
  {
    id: 'observe/further-members',
    clause: ['2.2', '2.3'],
    of: 'Names of members of envelopes and items beyond the specified ones.',
  },
  {
    id: 'observe/order',
    clause: ['4.3'],
    of: 'Whether the same request, repeated, gives the records in the same order.',
  },
  {
    id: 'observe/skip-beyond-the-end',
    clause: ['4.3.3'],
    of: 'What $skip gives at N, past N, when it is negative, and when it is no number. Worth a look at any 5xx.',
  },
  {
    id: 'observe/unknown-parameter',
    clause: ['4.2'],
    of: 'What a query parameter that nobody knows does, with a $ and without one.',
  },
  {
    id: 'observe/methods',
    clause: ['4.2'],
    of: 'What HEAD, OPTIONS, POST, PUT and DELETE on the list path give without a token; never sent with one, and only where the target file allows it. Worth a look when any is answered 2xx with records.',
  },
  {
    id: 'observe/rate-limit',
    clause: ['8'],
    of: '429 answers, Retry-After and RateLimit headers that the run met.',
  },
  {
    id: 'observe/server-errors',
    clause: ['7'],
    of: 'Every 5xx answer that the run met, with the request that caused it. Worth a look.',
  },
  {
    id: 'observe/compression',
    clause: ['4.2'],
    of: 'Which Content-Encoding is offered when gzip and br are accepted.',
  },
  {
    id: 'observe/transport',
    clause: ['4.2'],
    of: 'HTTP version, TLS version, expiry of the certificate, and whether connections are kept alive. Worth a look for plain http off loopback.',
  },
  {
    id: 'observe/latency',
    clause: ['8'],
    of: 'Median, 95th and 99th percentile and slowest answer, by page size and by the position of the page.',
  },
];
