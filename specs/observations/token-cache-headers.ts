import { headerOf } from '../../src/core/exchange.ts';
import { issuedAnswers, observation } from '../../src/judge/observation.ts';

export const tokenCacheHeaders = observation({
  id: 'observe/token-cache-headers',
  clause: ['4.1'],
  of: 'Cache-Control and Pragma of the token answer. Needs attention unless it is no-store.',
  advice:
    'RFC 6749, section 5.1: send Cache-Control: no-store and Pragma: no-cache, so that no cache stores a token.',
  scope: 'target',
  observe: ({ tokens, tokenExchanges }) => {
    const issuing = issuedAnswers(tokens).map(({ exchange }) => exchange.number);
    const issued = tokenExchanges.find(({ number }) => issuing.includes(number));
    if (issued?.answer == null) return null;
    const control = headerOf(issued.answer.headers, 'cache-control');
    const pragma = headerOf(issued.answer.headers, 'pragma');
    return {
      value: control === null ? 'no Cache-Control' : control,
      attention: control?.toLowerCase().includes('no-store') !== true,
      detail: {
        'Cache-Control': control,
        Pragma: pragma,
      },
      exchanges: [issued.number],
    };
  },
});
