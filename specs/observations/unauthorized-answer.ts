import { headerOf } from '../../src/core/exchange.ts';
import { isCallOfSpecification, observation, refusalSummary } from '../../src/judge/observation.ts';

export const unauthorizedAnswer = observation({
  id: 'observe/unauthorized-answer',
  clause: ['7'],
  of: 'How a call without the Authorization header is refused: status, WWW-Authenticate, body. Needs attention unless it is 401.',
  advice:
    'RFC 6750, section 3: answer 401 with WWW-Authenticate: Bearer, so that clients know that a token is required.',
  scope: 'list',
  observe: ({ listExchanges, target }) =>
    refusalSummary(
      listExchanges.filter(
        (call) =>
          headerOf(call.request.headers, 'authorization') === null && isCallOfSpecification(call, target),
      ),
    ),
});
