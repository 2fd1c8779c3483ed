import { headerOf } from '../../src/core/exchange.ts';
import type { LoggedExchange } from '../../src/core/traffic.ts';
import { observe, type Seen } from '../../src/judge/observe.ts';
import { numbers, tally, words } from '../../src/judge/tally.ts';

/** A token that the provider gave in any answer, whoever asked for it and however, with its label in its place. */
const ISSUED = /^Bearer \[token-\d+\]$/;

/** How calls are refused that must be. Read from what the checks asked: none costs a request. */
export const refusalObservers = [
  observe('observe/unauthorized-answer', 'list', ({ calls }) =>
    refusals(calls.filter(({ request }) => headerOf(request.headers, 'authorization') === null)),
  ),

  observe('observe/invalid-token-answer', 'list', ({ calls, secrets }) =>
    refusals(
      calls.filter(({ request }) => {
        const given = headerOf(request.headers, 'authorization');
        return given?.startsWith('Bearer ') === true && !ISSUED.test(secrets.redact(given));
      }),
    ),
  ),
];

function refusals(calls: readonly LoggedExchange[]): Seen | null {
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
