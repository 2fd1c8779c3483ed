import type { AnswerNote } from '../../src/core/traffic.ts';
import { countValues, exchangeNumbers, observation, printAnswerCount } from '../../src/judge/observation.ts';

export const rateLimit = observation({
  id: 'observe/rate-limit',
  clause: ['8'],
  of: '429 answers, Retry-After and RateLimit headers that the run met.',
  advice:
    'RFC 6585, section 4 and RFC 9110, section 10.2.3: answer 429 with Retry-After; clients wait that long.',
  scope: 'target',
  observe: ({ exchanges }) => {
    const limited = exchanges.filter(({ status, answer }) => status === 429 || limitsIn(answer).length > 0);
    if (limited.length === 0) return { value: 'none met' };
    const refused = limited.filter(({ status }) => status === 429).length;
    return {
      value:
        refused === 0
          ? 'headers that tell of a limit, and no answer of 429'
          : printAnswerCount(refused, '429'),
      detail: { headers: countValues(limited.flatMap(({ answer }) => limitsIn(answer))) },
      exchanges: exchangeNumbers(limited),
    };
  },
});

/** Names of the headers that state a limit, in lower case. */
function limitsIn(answer: AnswerNote | null): readonly string[] {
  return (answer?.headers ?? [])
    .map(([name]) => name.toLowerCase())
    .filter((name) => /^(x-)?rate-?limit|^retry-after$/.test(name));
}
