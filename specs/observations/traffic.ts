import { isLoopback } from '../../src/core/loopback.ts';
import type { AnswerNote } from '../../src/core/traffic.ts';
import { observe } from '../../src/judge/observe.ts';
import { numbers, tally } from '../../src/judge/tally.ts';

/** What the run met on its way. Read from what the checks asked: none costs a request. */
export const trafficObservers = [
  observe('observe/rate-limit', 'target', ({ log }) => {
    const limited = log.filter(({ status, answer }) => status === 429 || limitsIn(answer).length > 0);
    if (limited.length === 0) return { value: 'none met' };
    const refused = limited.filter(({ status }) => status === 429).length;
    return {
      value: refused === 0 ? 'headers that tell of a limit, and no answer of 429' : answersOf(refused, '429'),
      detail: { headers: tally(limited.flatMap(({ answer }) => limitsIn(answer))) },
      exchanges: numbers(limited),
    };
  }),

  observe('observe/server-errors', 'target', ({ log, secrets }) => {
    const errors = log.filter(({ status }) => status !== null && status >= 500);
    if (errors.length === 0) return { value: 'none met' };
    const requests = tally(
      errors.map(({ status, request }) => {
        // Redacted before it is cut: half a secret is not recognised.
        return `${status} for ${request.method} ${secrets.redact(request.target).slice(0, 120)}`;
      }),
    );
    return {
      value: answersOf(errors.length, '5xx'),
      attention: true,
      detail: { requests },
      exchanges: numbers(errors),
    };
  }),

  observe('observe/transport', 'target', ({ log, target }) => {
    const answered = log.filter(({ answer }) => answer !== null);
    if (answered.length === 0) return null;
    const versions = [...new Set(answered.map(({ answer }) => `HTTP/${answer?.httpVersion}`))];
    const connections = new Set(answered.map(({ connection }) => connection)).size;
    const plain = [target.authUrl, target.baseUrl].filter(
      (url) => url.startsWith('http:') && !isLoopback(new URL(url)),
    );
    const secured = answered.flatMap(({ tls }) => (tls === undefined ? [] : [tls]));
    const tls = [...new Set(secured.map(({ version }) => version))];
    const ends = [...new Set(secured.flatMap(({ certificateEnds }) => certificateEnds ?? []))].sort();
    return {
      value: `${[...versions, ...tls].join(', ')}, ${connections < answered.length ? 'connections kept alive' : 'a connection for each request'}${ends[0] === undefined ? '' : `, certificate until ${ends[0].slice(0, 10)}`}${plain.length > 0 ? ', plain http' : ''}`,
      attention: plain.length > 0,
      detail: {
        versions,
        tls,
        certificateEnds: ends,
        connections,
        requests: answered.length,
        plainHttp: plain,
      },
    };
  }),
];

/** Names of the headers that tell of a limit, in lower case. */
function limitsIn(answer: AnswerNote | null): readonly string[] {
  return (answer?.headers ?? [])
    .map(([name]) => name.toLowerCase())
    .filter((name) => /^(x-)?rate-?limit|^retry-after$/.test(name));
}

function answersOf(count: number, status: string): string {
  return `${count} ${count === 1 ? 'answer' : 'answers'} of ${status}`;
}
