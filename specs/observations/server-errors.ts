import type { LoggedExchange } from '../../src/core/traffic.ts';
import { countValues, exchangeNumbers, observation, printAnswerCount } from '../../src/judge/observation.ts';

export const serverErrors = observation({
  id: 'observe/server-errors',
  clause: ['7'],
  of: 'Every 5xx answer of the run, and every dropped connection, with the request that caused it. Needs attention.',
  advice: 'RFC 9110, section 15.6: a 5xx means that the server failed; unusual requests should get a 4xx.',
  scope: 'target',
  observe: ({ exchanges, secrets }) => {
    const errors = exchanges.filter(({ status }) => status !== null && status >= 500);
    const dropped = exchanges.filter((exchange) => isConnectionDropped(exchange, exchanges));
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
 * Whether the provider dropped the connection. It may end a kept-alive connection between two answers: then the request on
 * it is repeated, and answered.
 */
function isConnectionDropped(exchange: LoggedExchange, exchanges: readonly LoggedExchange[]): boolean {
  const { number, request, failure, connection } = exchange;
  if (failure === 'truncated') return true;
  if (failure !== 'closed') return false;
  const isReused = exchanges.some((other) => other.number < number && other.connection === connection);
  const isAnsweredLater = exchanges.some(
    (other) =>
      other.number > number &&
      other.retry > 0 &&
      other.status !== null &&
      other.request.method === request.method &&
      other.request.target === request.target,
  );
  return !(isReused && isAnsweredLater);
}
