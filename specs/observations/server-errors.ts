import { observation } from '../../src/judge/observe.ts';
import { answersOf, numbers, tally } from '../../src/judge/tally.ts';

export const serverErrors = observation({
  id: 'observe/server-errors',
  clause: ['7'],
  of: 'Every 5xx answer that the run met, with the request that caused it. Worth a look.',
  advice:
    'RFC 9110, section 15.6: a 5xx says that the server failed; requests that are merely unusual should get a 4xx.',
  scope: 'target',
  asks: false,
  observe: ({ log, secrets }) => {
    const errors = log.filter(({ status }) => status !== null && status >= 500);
    if (errors.length === 0) return { value: 'none met' };
    const requests = tally(
      errors.map(({ status, request }) => {
        // Redacted before it is cut: half a secret is not recognised.
        return `${status} for ${request.method} ${secrets.redact(request.target).slice(0, 120)}`;
      }),
    );
    return {
      value: answersOf(errors.length, '5xx'),
      attention: true,
      detail: { requests },
      exchanges: numbers(errors),
    };
  },
});
