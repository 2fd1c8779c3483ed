import { Agent as HttpAgent } from 'node:http';
import type { AgentOptions } from 'node:https';
import { Agent as HttpsAgent } from 'node:https';
import type { PeerCertificate, SecureContext } from 'node:tls';
import { checkServerIdentity, createSecureContext, rootCertificates } from 'node:tls';
import type { Header } from '../core/exchange.ts';
import { FileRefusedError, readRegularFile } from '../core/regular-file.ts';
import type { Target } from '../target/target.ts';
import { basicCredentials, proxyFor } from './proxy.ts';

/** How the requests to one origin travel. */
export interface Route {
  /** Whether node:https speaks to the first hop. */
  readonly secure: boolean;
  readonly host: string;
  readonly port: number;
  readonly agent: HttpAgent;
  /** Opens a connection for each request and closes it after the answer. */
  readonly freshAgent: HttpAgent;
  /** Authorities, certificate and key for TLS with the origin. */
  readonly secureContext: SecureContext | undefined;
  /** Compares a certificate with the name of the origin; undefined where node:tls knows that name. */
  readonly checkServerIdentity:
    | ((name: string, certificate: PeerCertificate) => Error | undefined)
    | undefined;
  /** Put before the request target: the origin itself before a proxy for plain http, otherwise nothing. */
  readonly prefix: string;
  /** Headers for the first hop alone. */
  readonly hopHeaders: readonly Header[];
  /** The proxy without its credentials; null where there is none. */
  readonly proxy: string | null;
}

/**
 * Finds the way to each origin and keeps the connections alive. Certificates are read and the proxy agent is
 * loaded at the first request that needs them.
 */
export class Routes {
  readonly #tls: Target['tls'];
  readonly #env: NodeJS.ProcessEnv;
  readonly #signal: AbortSignal;
  readonly #routes = new Map<string, Promise<Route>>();
  readonly #agents: HttpAgent[] = [];

  constructor(tls: Target['tls'], env: NodeJS.ProcessEnv, signal: AbortSignal) {
    this.#tls = tls;
    this.#env = env;
    this.#signal = signal;
  }

  /**
   * The way to an origin; the same one each time.
   *
   * @throws Error where a certificate file cannot be read or the proxy's address is not usable.
   */
  to(origin: string): Promise<Route> {
    const known = this.#routes.get(origin);
    if (known !== undefined) return known;
    const route = this.#find(new URL(origin));
    this.#routes.set(origin, route);
    return route;
  }

  /** Closes every connection. */
  close(): void {
    for (const agent of this.#agents) agent.destroy();
  }

  async #find(url: URL): Promise<Route> {
    const proxy = proxyFor(url, this.#env);
    if (proxy === null) return this.#direct(url);
    return url.protocol === 'https:' ? this.#tunnel(url, proxy) : this.#forward(url, proxy);
  }

  #direct(url: URL): Route {
    return { ...this.#hop(url), ...this.#agentsFor(url), prefix: '', hopHeaders: [], proxy: null };
  }

  // The proxy agents in use for plain http pass the target through `new URL`, which rewrites it. The whole
  // protocol is to name the origin in the request line, so that is done here, byte for byte.
  #forward(url: URL, proxy: URL): Route {
    const credentials = basicCredentials(proxy);
    const hopHeaders: Header[] = credentials === null ? [] : [['Proxy-Authorization', credentials]];
    const agents = this.#agentsFor(proxy);
    return { ...this.#hop(proxy), ...agents, prefix: url.origin, hopHeaders, proxy: proxy.origin };
  }

  async #tunnel(url: URL, proxy: URL): Promise<Route> {
    const { HttpsProxyAgent } = await import('https-proxy-agent');
    const way = this.#hop(url);
    // The signal ends a CONNECT that the proxy never answers: destroying the request does not.
    const options = { secureContext: way.secureContext, signal: this.#signal };
    return {
      ...way,
      agent: this.#own(new HttpsProxyAgent(proxy, { ...KEEP_ALIVE, ...options })),
      freshAgent: this.#own(new HttpsProxyAgent(proxy, options)),
      // The agent hands an IP address on neither as host nor as server name; node:tls would then expect `localhost`.
      checkServerIdentity: (_name, certificate) => checkServerIdentity(way.host, certificate),
      prefix: '',
      hopHeaders: [],
      proxy: proxy.origin,
    };
  }

  #agentsFor({ protocol }: URL): Pick<Route, 'agent' | 'freshAgent'> {
    const Agent = protocol === 'https:' ? HttpsAgent : HttpAgent;
    return { agent: this.#own(new Agent(KEEP_ALIVE)), freshAgent: this.#own(new Agent()) };
  }

  #own(agent: HttpAgent): HttpAgent {
    this.#agents.push(agent);
    return agent;
  }

  #hop(url: URL): Pick<Route, 'secure' | 'host' | 'port' | 'secureContext' | 'checkServerIdentity'> {
    const secure = url.protocol === 'https:';
    return {
      secure,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
      secureContext: secure ? secureContextOf(this.#tls) : undefined,
      checkServerIdentity: undefined,
    };
  }
}

/**
 * What TLS with an origin needs: authorities, certificate and key. Without files of the user's, undefined: node's own
 * context is the right one then. An authority of the user's is trusted beside the well-known ones, because the token
 * endpoint and the lists often stand behind different ones.
 *
 * @throws CertificateFileError where a file cannot be used
 */
export function secureContextOf({ ca, cert, key }: Target['tls']): SecureContext | undefined {
  if (ca === null && cert === null && key === null) return undefined;
  return createSecureContext({
    ...(ca === null ? {} : { ca: [...rootCertificates, readPem(ca, 'tls.ca')] }),
    ...(cert === null ? {} : { cert: readPem(cert, 'tls.cert') }),
    ...(key === null ? {} : { key: readPem(key, 'tls.key') }),
  });
}

const MAX_PEM_BYTES = 4_194_304;

const KEEP_ALIVE: AgentOptions = { keepAlive: true, maxFreeSockets: 256 };

/** A certificate or key file that cannot be used. */
export class CertificateFileError extends Error {
  override readonly name = 'CertificateFileError';
}

function readPem(file: string, key: string): string {
  let text: string;
  try {
    text = readRegularFile(file, MAX_PEM_BYTES).toString('utf8');
  } catch (error) {
    const reason = error instanceof FileRefusedError ? `: ${error.message}` : '';
    throw new CertificateFileError(`the file ${file} of ${key} cannot be read${reason}`);
  }
  if (!text.includes('-----BEGIN ')) {
    throw new CertificateFileError(`the file ${file} of ${key} holds no PEM text`);
  }
  return text;
}
