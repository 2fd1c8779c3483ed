import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Exchange, TlsFacts } from '../core/exchange.ts';

type ConnectionFacts = Pick<Exchange, 'connection' | 'tls'>;

/** Numbers the connections of a client from 1, and reads how they are secured. */
export class Connections {
  readonly #numbers = new WeakMap<Socket, number>();
  readonly #tls = new WeakMap<TLSSocket, TlsFacts>();
  #count = 0;

  /** The number of a connection, and its TLS facts: none for plain http or a failed handshake. */
  factsOf(socket: Socket | null): ConnectionFacts {
    if (socket === null) return { connection: null };
    const tls = socket instanceof TLSSocket ? this.#tlsOf(socket) : null;
    return { connection: this.#numberOf(socket), ...(tls === null ? {} : { tls }) };
  }

  #numberOf(socket: Socket): number {
    const known = this.#numbers.get(socket);
    if (known !== undefined) return known;
    this.#count += 1;
    this.#numbers.set(socket, this.#count);
    return this.#count;
  }

  // Read once, because parsing the certificate takes time.
  #tlsOf(socket: TLSSocket): TlsFacts | null {
    const facts = this.#tls.get(socket) ?? readTls(socket);
    if (facts !== null) this.#tls.set(socket, facts);
    return facts;
  }
}

function readTls(socket: TLSSocket): TlsFacts | null {
  const version = socket.getProtocol();
  if (version === null || version === 'unknown') return null;
  const ends = Date.parse(socket.getPeerCertificate().valid_to ?? '');
  return { version, certificateEnds: Number.isNaN(ends) ? null : new Date(ends).toISOString() };
}
