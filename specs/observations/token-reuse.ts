import { headerOf } from '../../src/core/exchange.ts';
import { observation } from '../../src/judge/observation.ts';
import { tokenExchangeNumbers } from '../../src/judge/observation-summary.ts';

export const tokenReuse = observation({
  id: 'observe/token-reuse',
  clause: ['5.3'],
  of: 'Whether a second request returns the same token or a new one, and whether the first one stays valid.',
  advice:
    'A provider that returns the same token again should reduce expires_in accordingly (RFC 6749, section 5.1).',
  scope: 'target',
  asks: false,
  observe: ({ tokens, calls }) => {
    const issued = tokens.history.rightAnswers().filter(({ token }) => token !== null);
    if (issued.length < 2) return null;
    const distinct = new Set(issued.map(({ token }) => token)).size;
    const [first, second] = issued;
    const value = distinct === issued.length ? 'a new token each time' : 'a token is handed out again';
    if (first === undefined || second === undefined || distinct < issued.length)
      return {
        value,
        detail: { requests: issued.length, tokens: distinct },
        exchanges: tokenExchangeNumbers(issued),
      };
    const later = calls.filter(
      ({ number, request }) =>
        number > second.exchange.number &&
        headerOf(request.headers, 'authorization') === `Bearer ${first.token}`,
    );
    const stays = later.length === 0 ? null : later.some(({ status }) => status === 200);
    const ended = tokens.history.endings.length;
    return {
      attention: ended > 0 || stays === false,
      value: `${value}${stays === null ? '' : stays ? ', the first one stays valid' : ', and the first one is no longer accepted'}${ended === 0 ? '' : `; ${ended === 1 ? 'a token ended' : `${ended} tokens ended`} before ${ended === 1 ? 'its' : 'their'} time`}`,
      detail: { requests: issued.length, tokens: distinct, firstStaysValid: stays },
      exchanges: tokenExchangeNumbers(issued),
    };
  },
});
