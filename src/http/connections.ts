import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Exchange, TlsFacts } from '../core/exchange.ts';

type ConnectionFacts = Pick<Exchange, 'connection' | 'tls'>;

/** Numbers the connections of a client from 1, and reads how they are secured. */
export class Connections {
  /** Read once, because parsing the certificate takes time. */
  readonly #known = new WeakMap<Socket, ConnectionFacts>();
  #count = 0;

  /** The number of a connection, and its TLS facts: none for plain http or a failed handshake. */
  factsOf(socket: Socket | null): ConnectionFacts {
    if (socket === null) return { connection: null };
    const known = this.#known.get(socket);
    if (known !== undefined) return known;
    this.#count += 1;
    const tls = socket instanceof TLSSocket ? readTls(socket) : null;
    const facts = { connection: this.#count, ...(tls === null ? {} : { tls }) };
    this.#known.set(socket, facts);
    return facts;
  }
}

function readTls(socket: TLSSocket): TlsFacts | null {
  const version = socket.getProtocol();
  if (version === null || version === 'unknown') return null;
  const ends = Date.parse(socket.getPeerCertificate().valid_to ?? '');
  return { version, certificateEnds: Number.isNaN(ends) ? null : new Date(ends).toISOString() };
}
