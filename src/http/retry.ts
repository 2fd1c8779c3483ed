import type { Exchange, HttpAnswer } from '../core/exchange.ts';
import { headerOf } from '../core/exchange.ts';

/** Why a request may have to be repeated. */
export type Trouble =
  | 'throttled' // 429
  | 'unavailable' // 503, or a refused connection
  | 'broken'; // another 5xx that outages cause, a lost connection, or an answer that was cut off

/** Milliseconds before the first repetition of each kind, and the factor by which the pauses grow. */
const BACKOFF = {
  throttled: { firstMs: 500, growth: 4 },
  down: { firstMs: 250, growth: 2 },
  interrupted: { firstMs: 250, growth: 3 },
  single: { firstMs: 250, growth: 1 },
};
const LONGEST_BACKOFF_MS = 15_000;

/**
 * How long repetitions of a request wait where the provider named no time: `down` where nothing on its path has
 * succeeded, `interrupted` where something did before, `single` where something does meanwhile.
 */
export type Backoff = keyof typeof BACKOFF;

/** Milliseconds before repetition number `repetition` (from 0). */
export function backoffMs(repetition: number, kind: Backoff): number {
  const { firstMs, growth } = BACKOFF[kind];
  return Math.min(LONGEST_BACKOFF_MS, firstMs * growth ** repetition);
}

/** Statuses that a retry does not change: 501 (not implemented) and 505 (HTTP version not supported). */
const LASTING = [501, 505];

/**
 * What is wrong with an exchange that may be right the next time; null where a repetition shows nothing new.
 *
 * @param cut whether the answer looks cut off although its framing does not tell
 */
export function troubleOf({ answer, failure }: Exchange, cut: boolean): Trouble | null {
  if (answer !== null) {
    if (answer.status === 429) return 'throttled';
    if (answer.status === 503) return 'unavailable';
    return cut || (answer.status >= 500 && !LASTING.includes(answer.status)) ? 'broken' : null;
  }
  switch (failure?.code) {
    case 'refused':
      return 'unavailable';
    case 'closed':
    case 'truncated':
    case 'encoding':
      return 'broken';
    default:
      return null;
  }
}

/** Whether the answer asks to come back later: 429 or 503. */
export function isThrottled(answer: HttpAnswer): boolean {
  return answer.status === 429 || answer.status === 503;
}

/**
 * Milliseconds that `Retry-After` asks for, as seconds or as a date (RFC 9110, 10.2.3). Null where the header
 * is absent or is neither. A date gone by is zero; a date is measured against the answer's own `Date`, so
 * that two clocks that disagree do not matter.
 */
export function retryAfterMs(answer: HttpAnswer, now: number): number | null {
  const value = headerOf(answer.headers, 'retry-after')?.trim();
  if (value === undefined || value === '') return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = httpDate(value);
  if (date === null) return null;
  const theirs = httpDate(headerOf(answer.headers, 'date') ?? '');
  return Math.max(0, date - (theirs ?? now));
}

// Date.parse takes far more than HTTP's dates ("1" is a year to it), so the shape is looked at first.
function httpDate(text: string): number | null {
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const parsed = Date.parse(/GMT|UTC|[+-]\d{4}/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(parsed) ? null : parsed;
}
