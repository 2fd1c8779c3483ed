import { observation } from '../../src/judge/observation.ts';
import { observeTokenRequests } from '../../src/judge/probes/token-variations.ts';

export const tokenRequestJson = observation({
  id: 'observe/token-request-json',
  clause: ['4.1'],
  of: 'What a token request with a JSON body obtains.',
  advice: 'RFC 6749, section 4.4.2 requires form encoding; clients should not rely on JSON.',
  scope: 'target',
  sendsRequests: true,
  observe: (context) => {
    const { endpoint } = context.tokens;
    return observeTokenRequests(context, [
      { how: 'as a JSON body', send: () => endpoint.askAsJson(endpoint.validForm()) },
    ]);
  },
});
