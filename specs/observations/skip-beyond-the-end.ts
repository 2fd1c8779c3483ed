import { observation } from '../../src/judge/observation.ts';
import {
  ODD_SKIPS,
  observeVariations,
  SKIP_AT_END,
  SKIP_PAST_END,
} from '../../src/judge/probes/list-variations.ts';

export const skipBeyondTheEnd = observation({
  id: 'observe/skip-beyond-the-end',
  clause: ['4.3.3'],
  of: `What $skip returns if it is N, greater than N, negative, or not a number. Needs attention if any is answered 5xx,
    or not at all.`,
  advice: `RFC 9110, section 15.5.1: an unreadable offset is a client error (400), never a 5xx; the usual answer beyond the
    end is an empty page.`,
  scope: 'list',
  sendsRequests: true,
  observe: (context) => observeVariations(context, [SKIP_AT_END, SKIP_PAST_END, ...ODD_SKIPS]),
});
