import { observation } from '../../src/judge/observation.ts';
import { observeVariations } from '../../src/judge/probes/list-variations.ts';

export const schemeCase = observation({
  id: 'observe/scheme-case',
  clause: ['5.1'],
  of: 'Whether the scheme may be spelled bearer or BEARER.',
  advice:
    'RFC 9110, section 11.1: the name of an authentication scheme is not case-sensitive; clients should send Bearer.',
  scope: 'list',
  sendsRequests: true,
  observe: (context) => observeVariations(context, ['bearer', 'BEARER'], () => 'accepted'),
});
