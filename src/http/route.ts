import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { PeerCertificate, SecureContext } from 'node:tls';
import { checkServerIdentity, createSecureContext, rootCertificates } from 'node:tls';
import type { Header } from '../core/exchange.ts';
import { getOrMake } from '../core/maps.ts';
import { describeSystemError } from '../core/system-error.ts';
import { readPem } from '../target/pem-file.ts';
import type { Target } from '../target/target.ts';
import { OriginAgents } from './origin-agents.ts';
import { basicCredentials, portOf, proxyFor } from './proxy.ts';

/** Connection settings for one origin. */
export interface Route {
  /** Whether the first hop uses TLS. */
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly agents: OriginAgents;
  /** Authorities, certificate and key for TLS with the origin. */
  readonly secureContext: SecureContext | undefined;
  /** Compares a certificate with the origin's name; undefined if node:tls does so. */
  readonly checkServerIdentity:
    | ((name: string, certificate: PeerCertificate) => Error | undefined)
    | undefined;
  /** Prefix of the request target: the origin for a plain http proxy, otherwise empty. */
  readonly prefix: string;
  readonly hopHeaders: readonly Header[];
  /** The proxy without credentials; null if there is none. */
  readonly proxy: string | null;
}

/**
 * Finds the route to each origin and keeps connections alive. Reads certificates and loads the proxy agent when first needed.
 */
export class Routes {
  readonly #tls: Target['tls'];
  readonly #env: NodeJS.ProcessEnv;
  readonly #signal: AbortSignal;
  readonly #routes = new Map<string, Promise<Route>>();
  readonly #agents: OriginAgents[] = [];

  constructor(tls: Target['tls'], env: NodeJS.ProcessEnv, signal: AbortSignal) {
    this.#tls = tls;
    this.#env = env;
    this.#signal = signal;
  }

  /**
   * The route to an origin; the same object each time.
   *
   * @throws Error if a certificate file cannot be read or the proxy setting is invalid
   */
  to(origin: string): Promise<Route> {
    return getOrMake(this.#routes, origin, () => this.#find(new URL(origin)));
  }

  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }

  async #find(url: URL): Promise<Route> {
    const proxy = proxyFor(url, this.#env);
    if (proxy === null) return { ...this.#hop(url), agents: this.#agentsFor(url) };
    return url.protocol === 'https:' ? this.#tunnel(url, proxy) : this.#forward(url, proxy);
  }

  // The usual proxy agents pass a plain http target through `new URL`, which rewrites it. Here the origin is
  // prepended to the target unchanged.
  #forward(url: URL, proxy: URL): Route {
    const credentials = basicCredentials(proxy);
    const hopHeaders: Header[] = credentials === null ? [] : [['Proxy-Authorization', credentials]];
    const agents = this.#agentsFor(proxy);
    return { ...this.#hop(proxy), agents, prefix: url.origin, hopHeaders, proxy: proxy.origin };
  }

  async #tunnel(url: URL, proxy: URL): Promise<Route> {
    const { HttpsProxyAgent } = await import('https-proxy-agent');
    const hop = this.#hop(url);
    // Destroying the request does not end a CONNECT that the proxy never answers; the signal does.
    const options = { secureContext: hop.secureContext, rejectUnauthorized: true, signal: this.#signal };
    return {
      ...hop,
      agents: this.#own((settings) => new HttpsProxyAgent(proxy, { ...settings, ...options })),
      // The agent passes an IP address neither as host nor as server name, so node:tls would expect `localhost`.
      checkServerIdentity: (_name, certificate) => checkServerIdentity(hop.host, certificate),
      proxy: proxy.origin,
    };
  }

  #agentsFor({ protocol }: URL): OriginAgents {
    const Agent = protocol === 'https:' ? HttpsAgent : HttpAgent;
    return this.#own((settings) => new Agent(settings));
  }

  #own(create: ConstructorParameters<typeof OriginAgents>[0]): OriginAgents {
    const agents = new OriginAgents(create);
    this.#agents.push(agents);
    return agents;
  }

  /** Where the first hop leads, without a proxy. */
  #hop(url: URL): Omit<Route, 'agents'> {
    const secure = url.protocol === 'https:';
    return {
      secure,
      host: hostOf(url),
      port: portOf(url),
      secureContext: secure ? secureContextOf(this.#tls) : undefined,
      checkServerIdentity: undefined,
      prefix: '',
      hopHeaders: [],
      proxy: null,
    };
  }
}

/** The host name of a URL, without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/**
 * TLS settings of an origin: authorities, certificate and key. Undefined without user files: then Node's
 * default context is used. A user authority is trusted in addition to the default ones, because the token
 * endpoint and the lists often have different authorities.
 *
 * @throws CertificateFileError if a file cannot be used
 */
export function secureContextOf({ ca, cert, key }: Target['tls']): SecureContext | undefined {
  if (ca === null && cert === null && key === null) return undefined;
  return createSecureContext({
    ...(ca === null ? {} : { ca: [...rootCertificates, ...furtherAuthorities(), readPemOf('ca', ca)] }),
    ...(cert === null ? {} : { cert: readPemOf('cert', cert) }),
    ...(key === null ? {} : { key: readPemOf('key', key) }),
  });
}

/** The authorities of NODE_EXTRA_CA_CERTS: Node.js adds them to its default context only, and warns if it cannot read them. */
function furtherAuthorities(): readonly string[] {
  try {
    return [readPem(process.env['NODE_EXTRA_CA_CERTS'] ?? '')];
  } catch {
    return [];
  }
}

/** A certificate or key file that cannot be used. */
export class CertificateFileError extends Error {
  override readonly name = 'CertificateFileError';
}

function readPemOf(key: keyof Target['tls'], file: string): string {
  try {
    return readPem(file);
  } catch (error) {
    throw new CertificateFileError(
      `the file ${file} of tls.${key} cannot be used: ${describeSystemError(error)}`,
    );
  }
}
