import { headerOf } from '../../src/core/exchange.ts';
import { jwtOf } from '../../src/core/jwt.ts';
import { issuedAnswers, observation } from '../../src/judge/observation.ts';
import type { TokenAnswer } from '../../src/provider/token-answer.ts';

export const tokenFormat = observation({
  id: 'observe/token-format',
  clause: ['2.1'],
  of: `Whether the token is a JWT or opaque; for a JWT the algorithm, the audience, exp minus iat, and whether that
    differs from expires_in.`,
  advice: `RFC 7519, section 4.1: exp is the time when the token expires; clients trust expires_in, so both have to state
    the same end.`,
  scope: 'target',
  observe: ({ tokens }) => {
    const [answer] = issuedAnswers(tokens);
    if (answer?.token == null) return null;
    const jwt = jwtOf(answer.token);
    if (jwt === null) return { value: 'opaque', exchanges: [answer.exchange.number] };
    const { exp, iat, aud } = jwt.payload;
    const isTimed = typeof exp === 'number' && typeof iat === 'number';
    const lifetime = isTimed ? exp - iat : null;
    const differs =
      isTimed &&
      answer.expiresIn !== null &&
      lifetime !== answer.expiresIn &&
      !isCountedDown(answer, { exp, iat });
    return {
      value: `JWT (${String(jwt.header['alg'])})${differs ? `, exp less iat is ${lifetime} s` : ''}`,
      attention: differs,
      detail: {
        alg: jwt.header['alg'] ?? null,
        aud: aud ?? null,
        lifetimeSeconds: lifetime,
        expiresIn: answer.expiresIn,
      },
      exchanges: [answer.exchange.number],
    };
  },
});

/** Seconds by which times that are written in whole seconds may differ. */
const ROUNDING = 1;

/** Whether a token is older than its answer, whose expires_in is what is left by the clock of the provider. */
function isCountedDown(
  { exchange, expiresIn }: TokenAnswer,
  { exp, iat }: { readonly exp: number; readonly iat: number },
): boolean {
  const now = Date.parse(headerOf(exchange.answer?.headers ?? [], 'date') ?? '') / 1000;
  return now - iat > ROUNDING && Math.abs(exp - now - (expiresIn ?? 0)) <= ROUNDING;
}
