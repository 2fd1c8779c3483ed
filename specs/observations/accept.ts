import { observation } from '../../src/judge/observation.ts';
import { observeVariations } from '../../src/judge/probes/list-variations.ts';

export const accept = observation({
  id: 'observe/accept',
  clause: ['4.2'],
  of: 'What the list call returns for another Accept header, and without one.',
  advice: `RFC 9110, section 12.5.1: a request without an Accept header accepts every type; for a type that the server
    cannot produce it may answer 406 or ignore the header.`,
  scope: 'list',
  sendsRequests: true,
  observe: (context) =>
    observeVariations(context, ['Accept: text/html', 'no Accept'], () => 'the list as JSON'),
});
