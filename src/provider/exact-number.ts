import { sha256 } from '../core/sha256.ts';

/** A number whose digits say more than a double keeps. */
export interface Exact {
  /** Its digits without needless zeros, such as `9007199254740993` or `1e400`; the same for equal numbers. */
  readonly text: string;
  readonly integer: boolean;
}

/** Digits of an integer up to which a double keeps every one. */
const SAFE_DIGITS = 15;
/** Digits up to which an integer is written out. */
const MAX_CHARACTERS = 40;
/** Digits beyond which a number is reported by its beginning, its length and a hash. */
const MAX_DIGITS = 400;

/**
 * The exact number in a JSON text, if the double read from it is an integer (or infinite) and may be another
 * number: it has more digits than a double keeps, or a fraction that the double drops. Null if the double is
 * exact.
 */
export function exactNumber(text: string, read: number): Exact | null {
  if (Number.isFinite(read) && !Number.isInteger(read)) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '').replace(/0+$/, '');
  if (digits === '') return null;
  // Beyond a double's exponent one number is as far from being a count as another.
  const scale = Number(exponent) - fraction.length + trailingZeros(whole + fraction);
  const length = digits.length + scale;
  if (scale >= 0 && length <= SAFE_DIGITS) return null;
  if (scale >= 0 && length <= MAX_CHARACTERS)
    return { text: sign + digits + '0'.repeat(scale), integer: true };
  return { text: `${sign}${shortened(digits)}e${scale}`, integer: scale >= 0 };
}

// A page keeps this for as long as the run lasts, and a provider may write a million digits.
function shortened(digits: string): string {
  if (digits.length <= MAX_DIGITS) return digits;
  const sum = sha256(digits).slice(0, 16);
  return `${digits.slice(0, MAX_CHARACTERS)}…(${digits.length} digits, SHA-256 ${sum})`;
}

function trailingZeros(digits: string): number {
  return digits.length - digits.replace(/0+$/, '').length;
}
