import type { Answer, Behaviour, Call } from './altering-proxy.ts';
import { written } from './altering-proxy.ts';

/** Building blocks of hostile servers. */

/** Alters only list calls. */
export function onList(behaviour: Behaviour): Behaviour {
  return (call) => (call.kind === 'list' ? behaviour(call) : call.answer);
}

/** Alters only token requests. */
export function onToken(behaviour: Behaviour): Behaviour {
  return (call) => (call.kind === 'token' ? behaviour(call) : call.answer);
}

/** Alters only answers with status 200. */
export function onSuccess(behaviour: Behaviour): Behaviour {
  return (call) => (call.answer.status === 200 ? behaviour(call) : call.answer);
}

/** Alters list answers with status 200. */
export function lists(behaviour: Behaviour): Behaviour {
  return onList(onSuccess(behaviour));
}

/** Alters token answers with status 200. */
export function tokens(behaviour: Behaviour): Behaviour {
  return onToken(onSuccess(behaviour));
}

/** Replaces the body. */
export function body(change: (text: string, call: Call) => string | Buffer): Behaviour {
  return (call) => ({ ...call.answer, body: bytes(change(call.answer.body.toString('utf8'), call)) });
}

/** Pieces as one buffer; texts in UTF-8. */
export function bytes(...pieces: readonly (string | Buffer)[]): Buffer {
  const buffers = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  // A single one is not copied: some are large.
  return buffers.length === 1 && buffers[0] !== undefined ? buffers[0] : Buffer.concat(buffers);
}

/** Changes members of the correct JSON body. */
export function json(change: (members: Members, call: Call) => unknown): Behaviour {
  return body((text, call) => JSON.stringify(change(JSON.parse(text) as Members, call)));
}

interface Item {
  readonly id: string;
  readonly displayName: string;
  readonly agent: string;
}

export interface Members {
  items?: Item[];
  nextPageLink?: string | null;
  count?: number;
  access_token?: string;
  expires_in?: number;
  [name: string]: unknown;
}

/** Replaces the link if the correct answer has one. */
export function link(change: (right: string, call: Call) => unknown): Behaviour {
  return lists(
    json((members, call) =>
      typeof members.nextPageLink === 'string'
        ? { ...members, nextPageLink: change(members.nextPageLink, call) }
        : members,
    ),
  );
}

/** Changes each record of a list. */
export function records(change: (item: Item, index: number, call: Call) => unknown): Behaviour {
  return lists(
    json((members, call) => ({
      ...members,
      items: members.items?.map((item, index) => change(item, index, call)),
    })),
  );
}

/** Replaces the text of the count, which need not be valid JSON. */
export function count(literal: string): Behaviour {
  return lists(body((text) => text.replace(/"count":\d+/, `"count":${literal}`)));
}

/** Replaces the text of expires_in. */
export function expires(literal: string): Behaviour {
  return tokens(body((text) => text.replace(/"expires_in":\d+/, `"expires_in":${literal}`)));
}

/** Adds or replaces a header. */
export function header(name: string, value: string | ((call: Call) => string)): Behaviour {
  return ({ answer, ...call }) => {
    const others = answer.headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase());
    const given = typeof value === 'string' ? value : value({ ...call, answer });
    return { ...answer, headers: [...others, [name, given]] };
  };
}

/** Sends bytes and closes the connection. */
export function raw(bytes: string | Buffer | ((call: Call) => string | Buffer)): Behaviour {
  return (call) => {
    const given = typeof bytes === 'function' ? bytes(call) : bytes;
    call.socket.end(typeof given === 'string' ? Buffer.from(given, 'latin1') : given);
    return null;
  };
}

/** Sends bytes and then nothing more. */
export function open(bytes: string | ((call: Call) => string | Buffer)): Behaviour {
  return (call) => {
    call.socket.write(typeof bytes === 'string' ? bytes : bytes(call));
    return null;
  };
}

/** Sends a head and then the same piece endlessly, as fast as the reader accepts it. */
export function endless(head: string, piece: string | Buffer): Behaviour {
  return ({ socket }) => {
    const pump = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', pump);
    socket.write(head);
    pump();
    return null;
  };
}

/** Sends a head and then the same piece endlessly, every few milliseconds. */
export function dripping(head: string, piece: string): Behaviour {
  return ({ socket, every }) => {
    socket.write(head);
    every(5, () => socket.write(piece));
    return null;
  };
}

/**
 * Truncates the correct answer after this share of its bytes; the caller decides what happens to the
 * connection.
 */
export function half(call: Call, share = 0.5): Buffer {
  const bytes = written(call.answer);
  return bytes.subarray(0, Math.floor(bytes.length * share));
}

/** An answer with another status and an empty body by default. */
export function status(code: number, headers: Answer['headers'] = [], text = ''): Behaviour {
  return () => ({ status: code, reason: 'Odd', headers, body: Buffer.from(text) });
}

/** The correct head with a Content-Encoding, and what is made of the body. */
export function encoded(coding: string, encode: (body: Buffer) => Buffer): Behaviour {
  return (call) => {
    const changed = header('Content-Encoding', coding)(call) as Answer;
    return { ...changed, body: encode(call.answer.body) };
  };
}
