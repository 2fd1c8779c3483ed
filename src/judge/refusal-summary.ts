import { headerOf } from '../core/exchange.ts';
import type { LoggedExchange } from '../core/traffic.ts';
import type { Seen } from './observe.ts';
import { numbers, tally, words } from './tally.ts';
export function refusals(calls: readonly LoggedExchange[]): Seen | null {
  // Who asks for patience has refused nothing yet.
  const refused = calls.filter(({ status }) => status !== null && status !== 429 && status !== 503);
  if (refused.length === 0) return null;
  const answers = tally(
    refused.map(
      ({ status, answer }) =>
        `${status}${headerOf(answer?.headers ?? [], 'www-authenticate') === null ? '' : ' with WWW-Authenticate'}`,
    ),
  );
  const first = refused[0];
  return {
    value: words(answers),
    attention: refused.some(({ status }) => status !== 401),
    detail: {
      answers,
      'WWW-Authenticate': headerOf(first?.answer?.headers ?? [], 'www-authenticate'),
      body: first?.answer?.excerpt ?? '',
    },
    exchanges: numbers(refused),
  };
}
