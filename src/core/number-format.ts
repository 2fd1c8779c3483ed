/**
 * A number as English readers have it, its digits in groups of three: `1,234`. JavaScript's own formatting needs more
 * than ten milliseconds for its first number, in which a short run could be over; whole numbers need none of it.
 */
export function withCommas(value: number): string {
  if (!Number.isSafeInteger(value)) return value.toLocaleString('en-US');
  return String(value).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}
