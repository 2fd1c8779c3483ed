/** A format that cannot be made here; the message is one sentence for the user, and other formats are unharmed. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}
