import { told } from '../../src/judge/list-departures.ts';
import { observation } from '../../src/judge/observe.ts';

export const accept = observation({
  id: 'observe/accept',
  clause: ['4.2'],
  of: 'What the list call gives for another Accept header, and for none.',
  advice:
    'RFC 9110, section 12.5.1: without an Accept header any type will do; a type that cannot be served may be answered 406 or disregarded.',
  scope: 'list',
  asks: true,
  observe: (context) => told(context, ['Accept: text/html', 'no Accept'], () => 'the list as JSON'),
});
