import { headerOf } from '../core/exchange.ts';
import type { LoggedExchange } from '../core/traffic.ts';
import type { Observed } from './observation.ts';
import { countValues, exchangeNumbers, listByFrequency } from './observation-summary.ts';

/** How calls were refused: status, WWW-Authenticate, body of the first; null if no call was refused. */
export function refusalSummary(calls: readonly LoggedExchange[]): Observed | null {
  // 429 and 503 ask to try again later; they refuse nothing.
  const refused = calls.filter(({ status }) => status !== null && status !== 429 && status !== 503);
  if (refused.length === 0) return null;
  const answers = countValues(
    refused.map(
      ({ status, answer }) =>
        `${status}${headerOf(answer?.headers ?? [], 'www-authenticate') === null ? '' : ' with WWW-Authenticate'}`,
    ),
  );
  const first = refused[0];
  return {
    value: listByFrequency(answers),
    attention: refused.some(({ status }) => status !== 401),
    detail: {
      answers,
      'WWW-Authenticate': headerOf(first?.answer?.headers ?? [], 'www-authenticate'),
      body: first?.answer?.excerpt ?? '',
    },
    exchanges: exchangeNumbers(refused),
  };
}
