import { Buffer } from 'node:buffer';
import { base64Forms } from './secret-forms.ts';

/** Marks the place where a quoted text was cut. */
export const CUT = '…';

/** Characters of the shortest beginning of a secret that is removed: shorter ones occur by chance. */
const LEAST = 6;

/**
 * Replaces beginnings of secrets before an ellipsis by `[secret]`: not by their label, since tokens may begin alike.
 */
export function redactCutSecrets(text: string, secrets: Iterable<string>): string {
  const pieces = text.split(CUT);
  const known = [...secrets];
  return pieces
    .map((piece, index) => (index === pieces.length - 1 ? piece : withoutBeginning(piece, known)))
    .join(CUT);
}

function withoutBeginning(piece: string, secrets: readonly string[]): string {
  let most = 0;
  for (const whole of secrets) {
    const secret = whole.slice(0, piece.length).toWellFormed();
    for (const form of [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      ...base64Forms(Buffer.from(secret)).map((one) => one.toString('latin1')),
    ])
      most = Math.max(most, beginningAtEnd(piece, form));
  }
  return most === 0 ? piece : `${piece.slice(0, -most)}[secret]`;
}

/** How many characters of a secret's beginning the piece ends with; 0 for few. */
function beginningAtEnd(piece: string, secret: string): number {
  const start = secret.slice(0, LEAST);
  if (start.length < LEAST) return 0;
  // From the front, so that the longest beginning is found first.
  for (let at = piece.indexOf(start); at !== -1; at = piece.indexOf(start, at + 1))
    if (secret.startsWith(piece.slice(at))) return piece.length - at;
  return 0;
}
