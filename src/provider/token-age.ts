import { jwtOf } from './jwt.ts';
import type { TokenAnswer } from './token-answer.ts';

/** Seconds by which clocks of one provider's servers may differ. */
const CLOCKS_APART = 60;

/**
 * The greatest age of an answer's token, in seconds of the provider's clock; null if it is not known. A JWT
 * with a later iat is no older than an earlier answer with a fresh JWT.
 *
 * @param validity expires_in of a fresh token
 */
export function greatestAge(
  answer: TokenAnswer,
  answers: readonly TokenAnswer[],
  validity: number,
  clockRate: number,
): number | null {
  const issuedAt = issuedAtOf(answer);
  if (issuedAt === null) return null;
  const ages = answers.flatMap((earlier) => {
    const before = issuedAtOf(earlier);
    const isFresh = earlier.expiresIn === validity && earlier.token !== answer.token;
    if (!isFresh || before === null || before > issuedAt || earlier.answeredAt > answer.askedAt) return [];
    return [((answer.answeredAt - earlier.askedAt) / 1000) * clockRate + CLOCKS_APART];
  });
  return ages.length === 0 ? null : Math.min(...ages);
}

/** When the token of an answer was issued, by its iat, in seconds since the epoch; null if it has none. */
function issuedAtOf({ token }: TokenAnswer): number | null {
  const issuedAt = token === null ? undefined : jwtOf(token)?.payload['iat'];
  return typeof issuedAt === 'number' ? issuedAt : null;
}
