import { headerOf } from '../../src/core/exchange.ts';
import { observation } from '../../src/judge/observation.ts';
import { refusalSummary } from '../../src/judge/refusal-summary.ts';

/** A token that the provider issued in any answer, after it was replaced by its label. */
const ISSUED = /^Bearer \[token-\d+\]$/;

export const invalidTokenAnswer = observation({
  id: 'observe/invalid-token-answer',
  clause: ['7'],
  of: 'How a token that was never issued is refused: status, WWW-Authenticate, body. Needs attention unless it is 401.',
  advice:
    'RFC 6750, section 3.1: answer 401 with WWW-Authenticate: Bearer error="invalid_token", so that clients request a new token.',
  scope: 'list',
  asks: false,
  observe: ({ calls, secrets }) =>
    refusalSummary(
      calls.filter(({ request }) => {
        const given = headerOf(request.headers, 'authorization');
        return given?.startsWith('Bearer ') === true && !ISSUED.test(secrets.redact(given));
      }),
    ),
});
