/**
 * A number with thousands separators: `1,234`. `toLocaleString` takes more than 10 ms for the first number,
 * which is noticeable in a short run.
 */
export function withCommas(value: number): string {
  if (!Number.isSafeInteger(value)) return value.toLocaleString('en-US');
  return String(value).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

/** `1 record`, or so many records. */
export function recordCount(records: number | null): string {
  return `${records} ${records === 1 ? 'record' : 'records'}`;
}
