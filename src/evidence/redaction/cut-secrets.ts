import { Buffer } from 'node:buffer';
import { base64Forms } from './secret-forms.ts';

/** Marks where a quoted text was truncated. */
export const CUT = '…';

/** Shortest prefix of a secret that is redacted, in characters. Shorter ones occur by chance. */
const MIN_PREFIX = 6;

/**
 * Replaces prefixes of secrets before an ellipsis by `[secret]`. Not by a label: several tokens may share a
 * prefix.
 */
export function redactCutSecrets(text: string, secrets: Iterable<string>): string {
  const pieces = text.split(CUT);
  const secretList = [...secrets];
  return pieces
    .map((piece, index) => (index === pieces.length - 1 ? piece : redactPrefix(piece, secretList)))
    .join(CUT);
}

function redactPrefix(piece: string, secrets: readonly string[]): string {
  let longest = 0;
  for (const whole of secrets) {
    const secret = whole.slice(0, piece.length).toWellFormed();
    for (const form of [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      ...base64Forms(Buffer.from(secret)).map((one) => one.toString('latin1')),
    ])
      longest = Math.max(longest, prefixLengthAtEnd(piece, form));
  }
  return longest === 0 ? piece : `${piece.slice(0, -longest)}[secret]`;
}

/** Length of the longest prefix of the secret that the text ends with; 0 if it is shorter than MIN_PREFIX. */
function prefixLengthAtEnd(piece: string, secret: string): number {
  const start = secret.slice(0, MIN_PREFIX);
  if (start.length < MIN_PREFIX) return 0;
  // From the start, so that the longest prefix is found first.
  for (let at = piece.indexOf(start); at !== -1; at = piece.indexOf(start, at + 1))
    if (secret.startsWith(piece.slice(at))) return piece.length - at;
  return 0;
}
