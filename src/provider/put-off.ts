import { type Exchange, headerOf } from '../core/exchange.ts';
import { CUT } from '../evidence/beginnings.ts';
import type { Limits } from '../target/target.ts';
import { asksForPatience, retryAfterMs } from '../wire/retry.ts';
import { Undecided } from './prevented.ts';

/** Why an answer of status 429 or 503 leaves everything open, in a sentence about `who`; null for any other answer. */
export function putOff(
  who: 'the list call' | 'the token endpoint',
  { answer, startedAt, durationMs }: Exchange,
  limits: Limits,
): Undecided | null {
  if (answer === null || !asksForPatience(answer)) return null;
  const asked = headerOf(answer.headers, 'retry-after')?.trim() ?? '';
  const wait = retryAfterMs(answer, startedAt + durationMs);
  if (wait !== null && wait > limits.maxRetryAfterMs) {
    const limit = `${limits.maxRetryAfterMs / 1000} s (limits.maxRetryAfterMs)`;
    return new Undecided(
      `${who} was answered ${answer.status} with Retry-After: ${asked.length > 80 ? `${asked.slice(0, 80)}${CUT}` : asked}, longer than the ${limit} that Assay waits; run again later`,
    );
  }
  return new Undecided(
    `${who} kept answering ${answer.status}, however slowly it was asked; run again when it is available, or with lower limits (limits.requestsPerSecond, limits.concurrency)`,
  );
}
