import type { LoggedExchange } from '../../src/core/traffic.ts';
import { observation } from '../../src/judge/observation.ts';
import { countValues, exchangeNumbers, printAnswerCount } from '../../src/judge/observation-summary.ts';

export const serverErrors = observation({
  id: 'observe/server-errors',
  clause: ['7'],
  of: 'Every 5xx answer of the run, and every request that was never answered because the provider dropped the connection, with the request that caused it. Needs attention.',
  advice: 'RFC 9110, section 15.6: a 5xx means that the server failed; unusual requests should get a 4xx.',
  scope: 'target',
  asks: false,
  observe: ({ log, secrets }) => {
    const errors = log.filter(({ status }) => status !== null && status >= 500);
    const dropped = log.filter((exchange) => isDropped(exchange, log));
    const all = [...errors, ...dropped];
    if (all.length === 0) return { value: 'none met' };
    const requests = countValues(
      all.map(({ status, request }) => {
        // Redacted before it is shortened: half a secret would not be recognised.
        return `${status ?? 'dropped connection'} for ${request.method} ${secrets.redact(request.target).slice(0, 120)}`;
      }),
    );
    return {
      value: [
        ...(errors.length === 0 ? [] : [printAnswerCount(errors.length, '5xx')]),
        ...(dropped.length === 0
          ? []
          : [`${dropped.length} dropped ${dropped.length === 1 ? 'connection' : 'connections'}`]),
      ].join(', '),
      attention: true,
      detail: { requests },
      exchanges: exchangeNumbers(all),
    };
  },
});

/**
 * Whether the provider ended the connection within or without an answer, and no repetition was answered: a kept-alive
 * connection may end at any time between two answers.
 */
function isDropped({ number, request, failure }: LoggedExchange, log: readonly LoggedExchange[]): boolean {
  if (failure !== 'closed' && failure !== 'truncated') return false;
  return !log.some(
    (other) =>
      other.number > number &&
      other.retry > 0 &&
      other.status !== null &&
      other.request.method === request.method &&
      other.request.target === request.target,
  );
}
