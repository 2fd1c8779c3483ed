import { AT_THE_END, ODD_SKIPS, PAST_THE_END, records, told } from '../../src/judge/list-departures.ts';
import { observation } from '../../src/judge/observe.ts';

export const skipBeyondTheEnd = observation({
  id: 'observe/skip-beyond-the-end',
  clause: ['4.3.3'],
  of: 'What $skip gives at N, past N, when it is negative, and when it is no number. Worth a look at any 5xx.',
  advice:
    "RFC 9110, section 15.5.1: an offset that cannot be read is the client's error (400), never a 5xx; beyond the end an empty page is the usual answer.",
  scope: 'list',
  asks: true,
  observe: (context) => told(context, [AT_THE_END, PAST_THE_END, ...ODD_SKIPS], records),
});
