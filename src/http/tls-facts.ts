import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { TlsFacts } from '../core/exchange.ts';

const known = new WeakMap<TLSSocket, TlsFacts>();

/** TLS facts of a connection, read once; none for plain http or a failed handshake. */
export function tlsOf(socket: Socket | null): { readonly tls?: TlsFacts } {
  if (!(socket instanceof TLSSocket)) return {};
  const facts = known.get(socket) ?? read(socket);
  if (facts === null) return {};
  known.set(socket, facts);
  return { tls: facts };
}

function read(socket: TLSSocket): TlsFacts | null {
  const version = socket.getProtocol();
  if (version === null || version === 'unknown') return null;
  const ends = Date.parse(socket.getPeerCertificate().valid_to ?? '');
  return { version, certificateEnds: Number.isNaN(ends) ? null : new Date(ends).toISOString() };
}
