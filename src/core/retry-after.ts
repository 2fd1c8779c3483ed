import { type Header, headerOf } from './exchange.ts';

/**
 * Milliseconds in `Retry-After`, as seconds or as a date (RFC 9110, 10.2.3). Null if the header is missing or
 * invalid. A past date gives 0. A date is compared with the answer's own `Date`, so that the clocks need not
 * agree.
 */
export function retryAfterMs(headers: readonly Header[], now: number): number | null {
  const value = headerOf(headers, 'retry-after')?.trim();
  if (value === undefined || value === '') return null;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = httpDate(value);
  if (date === null) return null;
  const serverTime = httpDate(headerOf(headers, 'date') ?? '');
  return Math.max(0, date - (serverTime ?? now));
}

// Date.parse accepts more than HTTP dates (`1` is a year), so the form is checked first.
function httpDate(text: string): number | null {
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const parsed = Date.parse(/GMT|UTC|[+-]\d{4}/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(parsed) ? null : parsed;
}
