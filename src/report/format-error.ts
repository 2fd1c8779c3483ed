/**
 * A format cannot be written on this machine. The message is one sentence for the user; other formats are not
 * affected.
 */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}
