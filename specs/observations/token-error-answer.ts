import { countValues, exchangeNumbers, listByFrequency, observation } from '../../src/judge/observation.ts';

export const tokenErrorAnswer = observation({
  id: 'observe/token-error-answer',
  clause: ['7'],
  of: 'Status and error code (RFC 6749 section 5.2) of refused token requests.',
  advice: `RFC 6749, section 5.2: answer 400 (401 if the client fails to authenticate) with a JSON object whose error is
    one of the listed codes.`,
  scope: 'target',
  observe: ({ tokenExchanges }) => {
    // A failure of the server, and a rate limit, refuse nothing.
    const refused = tokenExchanges.filter(
      ({ status }) => status !== null && status !== 200 && status !== 429 && status < 500,
    );
    if (refused.length === 0) return null;
    const answers = countValues(
      refused.map(({ status, answer }) => `${status} ${answer?.errorCode ?? 'without an error code'}`),
    );
    return { value: listByFrequency(answers), detail: { answers }, exchanges: exchangeNumbers(refused) };
  },
});
