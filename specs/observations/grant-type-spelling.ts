import { observation } from '../../src/judge/observation.ts';
import { formWithout, observeTokenRequests } from '../../src/judge/probes/token-variations.ts';

export const grantTypeSpelling = observation({
  id: 'observe/grant-type-spelling',
  clause: ['4.1'],
  of: 'What grant_type in other letter case, or with white space around it, obtains.',
  advice:
    'RFC 6749, section 4.4.2 defines the value as client_credentials; clients should send exactly that.',
  scope: 'target',
  sendsRequests: true,
  observe: (context) => {
    const spelled = (grantType: string) => () =>
      context.tokens.endpoint.ask([['grant_type', grantType], ...formWithout(context, 'grant_type')]);
    return observeTokenRequests(context, [
      { how: 'in capitals', send: spelled('CLIENT_CREDENTIALS') },
      { how: 'with white space around it', send: spelled(' client_credentials ') },
    ]);
  },
});
