import type { Target } from '../target/target.ts';

export class ProxySettingError extends Error {
  override readonly name = 'ProxySettingError';
}

/** The environment variable that names the proxy for a URL. */
export function proxyVariable({ protocol }: Pick<URL, 'protocol'>): 'HTTPS_PROXY' | 'HTTP_PROXY' {
  return protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
}

/**
 * The proxy for a URL from HTTP_PROXY, HTTPS_PROXY and NO_PROXY (lower case takes precedence); null without a proxy. A setting
 * without a scheme means http.
 *
 * @throws ProxySettingError if the setting is not an http or https URL, or its user name or password cannot be decoded
 */
export function proxyFor(url: URL, env: NodeJS.ProcessEnv): URL | null {
  const name = proxyVariable(url);
  const setting = read(env, name);
  if (setting === '' || isExempt(url, read(env, 'NO_PROXY'))) return null;
  const text = setting.includes('://') ? setting : `http://${setting}`;
  const proxy = URL.canParse(text) ? new URL(text) : null;
  if (proxy === null || !['http:', 'https:'].includes(proxy.protocol)) {
    throw new ProxySettingError(`the environment variable ${name} is not the URL of an http or https proxy`);
  }
  if (!isDecodable(proxy.username) || !isDecodable(proxy.password)) {
    throw new ProxySettingError(
      `the user name or password in the environment variable ${name} contains a % that starts no escape sequence; write it as %25`,
    );
  }
  return proxy;
}

/** The environment with the proxies for a target; empty for a provider that Assay itself serves on loopback. */
export function proxyEnvironment(
  { isEmbedded }: Pick<Target, 'isEmbedded'>,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  return isEmbedded ? {} : env;
}

export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** The value of `Proxy-Authorization` for the userinfo of a proxy URL; null if it has none. */
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

// As in curl and Go: `*` matches everything; an entry matches its host and subdomains, with or without a
// leading dot or `*.`; an entry with a port matches only that port.
function isExempt(url: URL, list: string): boolean {
  const host = url.hostname.toLowerCase();
  const port = String(portOf(url));
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = entry, entryPort] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
      if (entryPort !== undefined && entryPort !== port) return false;
      const domain = name.replace(/^\*?\./, '');
      return host === domain || host === `[${domain}]` || host.endsWith(`.${domain}`);
    });
}
