/** Whether a text is written as a bearer token (RFC 6750, 2.1): no client can send any other text as a token. */
export function isBearerToken(text: string): boolean {
  return /^[A-Za-z0-9\-._~+/]+=*$/.test(text);
}

/** The first control character of a token, which no header can carry (RFC 9110, 5.5); null if there is none. */
export function controlCharacterOf(token: string): string | null {
  return /[\0-\x08\x0a-\x1f\x7f]/.exec(token)?.[0] ?? null;
}

/** The index of a character that keeps a text from being a bearer token, of a control character if there is one; -1 if none does. */
export function unusualIndexIn(token: string): number {
  const control = controlCharacterOf(token);
  return control === null ? token.search(/[^A-Za-z0-9\-._~+/=]/) : token.indexOf(control);
}
