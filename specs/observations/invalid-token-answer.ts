import { bearerIn, isCallOfSpecification, observation, refusalSummary } from '../../src/judge/observation.ts';

/** A token that the provider issued, in an answer of this run or earlier, after it was replaced by its label. */
const ISSUED = /^\[(?:token-\d+|expired-token)\]$/;

export const invalidTokenAnswer = observation({
  id: 'observe/invalid-token-answer',
  clause: ['7'],
  of: 'How a token that was never issued is refused: status, WWW-Authenticate, body. Needs attention unless it is 401.',
  advice:
    'RFC 6750, section 3.1: answer 401 with WWW-Authenticate: Bearer error="invalid_token", so that clients request a new token.',
  scope: 'list',
  observe: ({ listExchanges, secrets, target }) =>
    refusalSummary(
      listExchanges.filter((call) => {
        const token = bearerIn(call) ?? '';
        return token !== '' && isCallOfSpecification(call, target) && !ISSUED.test(secrets.redact(token));
      }),
    ),
});
