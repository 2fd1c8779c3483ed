import { type HttpRequest, headerOf } from '../core/exchange.ts';
import { shellQuoted } from '../core/text.ts';
import type { SecretRegistry } from '../provider/secret-registry.ts';
import type { Target } from '../target/target.ts';

/** Headers that curl sets by itself. */
const OWN_HEADERS = new Set(['host', 'connection', 'content-length', 'user-agent', 'accept-encoding']);

/**
 * A command line for bash that sends a request again. Secrets become shell variables ($TOKEN, $CLIENT_SECRET, …) or
 * expressions over them; everything else is sent byte for byte.
 */
export function curlCommand(request: HttpRequest, secrets: SecretRegistry, tls: Target['tls']): string {
  const quote = (text: string): string => quoted(secrets.redact(text), secrets);
  const { method, target, headers, body } = request;
  const isForm =
    body !== null &&
    (headerOf(headers, 'content-type') ?? '').startsWith('application/x-www-form-urlencoded');
  const words = ['curl', '-sS', '-i', ...tlsOptions(tls)];
  if (/\/\.{1,2}(\/|\?|$)|\/%2e/i.test(target)) words.push('--path-as-is');
  if (/[[\]{}]/.test(target)) words.push('-g');
  const usualMethod = body === null ? 'GET' : 'POST';
  if (method !== usualMethod) words.push('-X', method);
  for (const [name, value] of headers) {
    if (OWN_HEADERS.has(name.toLowerCase()) || (isForm && name.toLowerCase() === 'content-type')) continue;
    words.push('-H', quote(value === '' ? `${name};` : `${name}: ${value}`));
  }
  // Otherwise curl sends one that accepts everything.
  if (headerOf(headers, 'accept') === null) words.push('-H', 'Accept:');
  if (isForm && (new URLSearchParams(body).toString() !== body || body.includes('%00'))) {
    // An argument holds no NUL, and curl would spell it in the usual way.
    words.push('--data-raw', quote(body));
  } else if (isForm) {
    for (const [name, value] of new URLSearchParams(body)) {
      const isSecret = secrets.redact(value) !== value;
      if (isSecret || isEncodedByCurl(name, value)) words.push('--data-urlencode', quote(`${name}=${value}`));
      else words.push('--data-raw', quote(new URLSearchParams([[name, value]]).toString()));
    }
    if (body === '') words.push('-d', "''");
  } else if (body !== null) words.push('--data-binary', quote(body));
  words.push(quote(request.origin + target));
  return words.join(' ');
}

/** Whether curl writes a field as a form has it (URL Standard, 5.2): it leaves names as they are, and encodes `*`, but not `~`. */
function isEncodedByCurl(name: string, value: string): boolean {
  return /^[\w.-]*$/.test(name) && !/[*~]/.test(value);
}

/** The files that the target names, as shell variables: reports must not show their paths. */
function tlsOptions({ ca, cert, key }: Target['tls']): readonly string[] {
  return [
    ...(ca === null ? [] : ['--cacert', '"$TLS_CA"']),
    ...(cert === null ? [] : ['--cert', '"$TLS_CERT"']),
    ...(key === null ? [] : ['--key', '"$TLS_KEY"']),
  ];
}

/** A request of a sequence, with the number of the token that it requests or carries; null for none. */
export interface SentStep {
  readonly request: HttpRequest;
  readonly token: number | null;
}

/**
 * Command lines for bash that send requests again in their order, one a line; each token gets a variable of its own.
 */
export function curlCommands(
  steps: readonly SentStep[],
  secrets: SecretRegistry,
  tls: Target['tls'],
): string {
  const isSeveral = steps.some(({ token }) => token !== null && token > 1);
  return steps
    .map(({ request, token }) => {
      const name = isSeveral && token !== null ? `TOKEN_${token}` : 'TOKEN';
      const line = curlCommand(request, secrets, tls);
      if (request.method === 'POST') return `${name}=$(${line.replace(' -i ', ' ')} | ${READ_TOKEN})`;
      return line.replaceAll(/\$(\{?)TOKEN\b/g, `$$$1${name}`);
    })
    .join('\n');
}

/** One command line for bash that sends list calls again in their order on one connection. */
export function curlOnOneConnection(
  steps: readonly SentStep[],
  secrets: SecretRegistry,
  tls: Target['tls'],
): string {
  const lines = steps.map(({ request }) => curlCommand(request, secrets, tls).replace(/^curl /, ''));
  return `curl ${lines.join(' --next ')}`;
}

/** Reads the token from an answer of the token endpoint on standard input. */
const READ_TOKEN = `node -pe 'JSON.parse(require("fs").readFileSync(0)).access_token'`;

// Single quotes for literal text; double quotes if the text contains an expression.
function quoted(text: string, secrets: SecretRegistry): string {
  const expressions = secrets.shellExpressions().filter(([label]) => text.includes(label));
  if (expressions.length === 0) return shellQuoted(text);
  let parts: (string | { readonly shell: string })[] = [text];
  for (const [label, shell] of expressions) {
    parts = parts.flatMap((part) =>
      typeof part === 'string'
        ? part.split(label).flatMap((piece, index) => (index === 0 ? [piece] : [{ shell }, piece]))
        : [part],
    );
  }
  return `"${parts.map((part) => (typeof part === 'string' ? part.replace(/[\\"$`]/g, '\\$&') : part.shell)).join('')}"`;
}
