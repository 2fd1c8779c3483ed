/**
 * Whether Assay may send anything to `origin`. Every request passes this one function; what it refuses is
 * never put on a wire.
 *
 * An origin is accepted only where it is written exactly as `URL.origin` writes it and stands, character by
 * character, among the allowed ones. No parser's tolerance (backslashes, tabs, userinfo, default ports, IDN)
 * can widen that, because nothing is parsed leniently: what has to be normalised first is refused.
 */
export function mayContact(origin: string, allowed: readonly string[]): boolean {
  return allowed.includes(origin) && isOrigin(origin);
}

/** The last that was found to be one: nearly all requests go to the same. */
let lastOrigin: string | null = null;

/** Whether the text is an http or https origin in its canonical form, such as `https://api.acme.example:8443`. */
export function isOrigin(text: string): boolean {
  if (text === lastOrigin) return true;
  if (!text.startsWith('http://') && !text.startsWith('https://')) return false;
  if (!URL.canParse(text) || new URL(text).origin !== text) return false;
  lastOrigin = text;
  return true;
}
