import { bearerIn, exchangeNumbers, issuedAnswers, observation } from '../../src/judge/observation.ts';

export const tokenReuse = observation({
  id: 'observe/token-reuse',
  clause: ['5.3'],
  of: 'Whether a second request returns the same token or a new one, and whether the first one stays valid.',
  advice:
    'A provider that returns the same token again should reduce expires_in accordingly (RFC 6749, section 5.1).',
  scope: 'target',
  observe: ({ tokens, listExchanges }) => {
    const issued = issuedAnswers(tokens);
    const exchanges = exchangeNumbers(issued.map(({ exchange }) => exchange));
    if (issued.length < 2) return null;
    const distinct = new Set(issued.map(({ token }) => token)).size;
    const [first, second] = issued;
    const value = distinct === issued.length ? 'a new token each time' : 'a token is handed out again';
    if (first === undefined || second === undefined || distinct < issued.length)
      return {
        value,
        detail: { requests: issued.length, tokens: distinct },
        exchanges,
      };
    const later = listExchanges.filter(
      (call) => call.number > second.exchange.number && bearerIn(call) === first.token,
    );
    // A call may be refused for another reason: the same call with another token has to be accepted.
    const isEnded = later.some(
      ({ number, request, status }) =>
        status === 401 &&
        listExchanges.some(
          (call) => call.number > number && call.status === 200 && call.request.target === request.target,
        ),
    );
    const stays = later.some(({ status }) => status === 200) ? true : isEnded ? false : null;
    // A token that is accepted again later was not ended: its caller was refused for a while.
    const accepted = new Map(
      listExchanges.filter(({ status }) => status === 200).map((call) => [bearerIn(call), call.number]),
    );
    const endings = tokens.history.endings.filter(
      ({ token, refused }) => (accepted.get(token) ?? 0) < refused.number,
    );
    const ended = new Set(endings.map(({ token }) => token)).size;
    return {
      attention: ended > 0 || stays === false,
      value: `${value}${firstTokenClause(stays)}${endedClause(ended)}`,
      detail: { requests: issued.length, tokens: distinct, firstStaysValid: stays },
      exchanges,
    };
  },
});

/** What happened to the first token, for the end of a sentence; `stays` is null if no call shows it. */
function firstTokenClause(stays: boolean | null): string {
  if (stays === null) return '';
  return stays ? ', the first one stays valid' : ', and the first one is no longer accepted';
}

/** How many tokens were refused before their time, for the end of a sentence. */
function endedClause(ended: number): string {
  if (ended === 0) return '';
  return ended === 1 ? '; a token ended before its time' : `; ${ended} tokens ended before their time`;
}
