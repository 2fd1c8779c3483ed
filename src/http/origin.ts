/**
 * Whether Assay may send requests to `origin`. Every request passes this function.
 *
 * An origin is accepted only if it is in the canonical form of `URL.origin` and equals an allowed origin.
 * Nothing is normalised, so lenient parsing (backslashes, tabs, userinfo, default ports, IDN) cannot widen
 * the check.
 */
export function mayContact(origin: string, allowed: readonly string[]): boolean {
  return allowed.includes(origin) && isOrigin(origin);
}

/** The last accepted origin: nearly all requests go to the same one. */
let lastOrigin: string | null = null;

/** Whether a text is an http or https origin in canonical form, such as `https://api.acme.example:8443`. */
export function isOrigin(text: string): boolean {
  if (text === lastOrigin) return true;
  if (!text.startsWith('http://') && !text.startsWith('https://')) return false;
  if (!URL.canParse(text) || new URL(text).origin !== text) return false;
  lastOrigin = text;
  return true;
}
