import { observation } from '../../src/judge/observation.ts';
import { formWithout, observeTokenRequests } from '../../src/judge/probes/token-variations.ts';
import { memberOf } from '../../src/provider/json-reader.ts';
import type { TokenAnswer } from '../../src/provider/token-answer.ts';

export const scopeOmitted = observation({
  id: 'observe/scope-omitted',
  clause: ['4.1'],
  of: 'What a token request without a scope obtains.',
  advice: 'RFC 6749, section 3.3: either apply a documented default scope or answer invalid_scope.',
  scope: 'target',
  sendsRequests: true,
  observe: (context) =>
    observeTokenRequests(context, [
      {
        how: 'without scope',
        send: () => context.tokens.endpoint.ask(formWithout(context, 'scope')),
        suffix: grantedScopeOf,
      },
    ]),
});

function grantedScopeOf({ body }: TokenAnswer): string {
  const granted = memberOf(body, 'scope');
  return typeof granted === 'string' ? `, scope ${JSON.stringify(granted)}` : '';
}
