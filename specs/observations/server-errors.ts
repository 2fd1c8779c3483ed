import { observation } from '../../src/judge/observation.ts';
import { countValues, exchangeNumbers, printAnswerCount } from '../../src/judge/observation-summary.ts';

export const serverErrors = observation({
  id: 'observe/server-errors',
  clause: ['7'],
  of: 'Every 5xx answer of the run, with the request that caused it. Needs attention.',
  advice: 'RFC 9110, section 15.6: a 5xx means that the server failed; unusual requests should get a 4xx.',
  scope: 'target',
  asks: false,
  observe: ({ log, secrets }) => {
    const errors = log.filter(({ status }) => status !== null && status >= 500);
    if (errors.length === 0) return { value: 'none met' };
    const requests = countValues(
      errors.map(({ status, request }) => {
        // Redacted before it is shortened: half a secret would not be recognised.
        return `${status} for ${request.method} ${secrets.redact(request.target).slice(0, 120)}`;
      }),
    );
    return {
      value: printAnswerCount(errors.length, '5xx'),
      attention: true,
      detail: { requests },
      exchanges: exchangeNumbers(errors),
    };
  },
});
