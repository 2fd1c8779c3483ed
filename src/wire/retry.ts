import type { HttpAnswer } from '../core/exchange.ts';
import { headerOf } from '../core/exchange.ts';

const FIRST_WAIT_MS = 250;

/** Milliseconds before repetition number `repetition` (from 0), where the provider named no time of its own. */
export function backoffMs(repetition: number): number {
  return FIRST_WAIT_MS * 2 ** repetition;
}

/** Whether the answer asks to come back later: 429 or 503. */
export function asksForPatience(answer: HttpAnswer): boolean {
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
