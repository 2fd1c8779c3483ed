import type { Target } from '../target/target.ts';

const DEFAULT_PORTS: { readonly [protocol: string]: string } = { 'http:': '80', 'https:': '443' };

/** A proxy setting of the environment that cannot be used. */
export class ProxySettingError extends Error {
  override readonly name = 'ProxySettingError';
}

/**
 * The proxy for a URL, from HTTP_PROXY, HTTPS_PROXY and NO_PROXY (lower case wins, as everywhere); null where
 * the way is direct. A setting without a scheme means http.
 *
 * @throws ProxySettingError where the setting is no http or https URL, or its user name or password cannot be decoded.
 */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): URL | null {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const setting = read(env, name);
  if (setting === '' || isExempt(url, read(env, 'NO_PROXY'))) return null;
  const text = setting.includes('://') ? setting : `http://${setting}`;
  const proxy = URL.canParse(text) ? new URL(text) : null;
  if (proxy === null || !['http:', 'https:'].includes(proxy.protocol)) {
    throw new ProxySettingError(`the environment variable ${name} is not the URL of an http or https proxy`);
  }
  if (!isDecodable(proxy.username) || !isDecodable(proxy.password)) {
    throw new ProxySettingError(
      `the user name or password in the environment variable ${name} holds a % that begins no escape; write it as %25`,
    );
  }
  return proxy;
}

/** Where the proxies for a target are read from: nowhere for a provider that Assay itself serves on loopback. */
export function proxyEnvironment(
  { isEmbedded }: Pick<Target, 'isEmbedded'>,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  return isEmbedded ? {} : env;
}

/** The value of `Proxy-Authorization` for the userinfo of a proxy's URL; null where it has none. */
export function basicCredentials({ username, password }: URL): string | null {
  if (username === '' && password === '') return null;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function read(env: NodeJS.ProcessEnv, name: string): string {
  return (env[name.toLowerCase()] || env[name] || '').trim();
}

// As curl and Go read it: `*` is everything; an entry covers its host and the hosts below it, with or without
// a leading dot or `*.`; with a port, that port alone.
function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.toLowerCase();
  const port = url.port || DEFAULT_PORTS[url.protocol];
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = entry, only] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
      if (only !== undefined && only !== port) return false;
      const bare = name.replace(/^\*?\./, '');
      return host === bare || host === `[${bare}]` || host.endsWith(`.${bare}`);
    });
}
