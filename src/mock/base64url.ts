/** Decodes base64url text; null unless it is canonical: unused bits are zero, no other characters. */
export function strictlyDecoded(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
