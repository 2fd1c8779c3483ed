import { observation } from '../../src/judge/observation.ts';
import { formWithout, observeTokenRequests } from '../../src/judge/probes/token-variations.ts';

export const tokenGet = observation({
  id: 'observe/token-get',
  clause: ['4.1'],
  of: 'What a token request by GET obtains, with its parameters in the query.',
  advice: 'RFC 6749, sections 2.3.1 and 3.2: clients use POST, and credentials never belong in a URL.',
  scope: 'target',
  sendsRequests: true,
  observe: (context) => {
    const form = formWithout(context, 'client_id', 'client_secret');
    return observeTokenRequests(context, [
      {
        how: 'by GET, credentials left out',
        send: () => context.tokens.endpoint.askByGet(form),
        mustObtainNone: true,
      },
    ]);
  },
});
