import { jwtOf } from '../../src/core/jwt.ts';
import { issuedAnswers, observation } from '../../src/judge/observation.ts';

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
    const lifetime = typeof exp === 'number' && typeof iat === 'number' ? exp - iat : null;
    const differs = lifetime !== null && answer.expiresIn !== null && lifetime !== answer.expiresIn;
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
