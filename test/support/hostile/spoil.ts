import type { Answer, Behaviour, Call } from './front.ts';
import { written } from './front.ts';

/** Behaviours out of which hostile servers are put together. */

/** Spoils list calls alone. */
export function onList(behaviour: Behaviour): Behaviour {
  return (call) => (call.kind === 'list' ? behaviour(call) : call.answer);
}

/** Spoils token requests alone. */
export function onToken(behaviour: Behaviour): Behaviour {
  return (call) => (call.kind === 'token' ? behaviour(call) : call.answer);
}

/** Spoils answers of status 200 alone. */
export function onSuccess(behaviour: Behaviour): Behaviour {
  return (call) => (call.answer.status === 200 ? behaviour(call) : call.answer);
}

/** Spoils the list answers of status 200. */
export function lists(behaviour: Behaviour): Behaviour {
  return onList(onSuccess(behaviour));
}

/** Spoils the token answers of status 200. */
export function tokens(behaviour: Behaviour): Behaviour {
  return onToken(onSuccess(behaviour));
}

/** Another body in place of the right one. */
export function body(change: (text: string, call: Call) => string | Buffer): Behaviour {
  return (call) => ({ ...call.answer, body: Buffer.from(change(call.answer.body.toString('utf8'), call)) });
}

/** The members of the right JSON body, changed. */
export function json(change: (members: Members, call: Call) => unknown): Behaviour {
  return body((text, call) => JSON.stringify(change(JSON.parse(text) as Members, call)));
}

export interface Members {
  items?: { id: string; displayName: string; agent: string }[];
  nextPageLink?: string | null;
  count?: number;
  access_token?: string;
  expires_in?: number;
  [name: string]: unknown;
}

/** Another link wherever the right answer has one. */
export function link(change: (right: string, call: Call) => unknown): Behaviour {
  return lists(
    json((members, call) =>
      typeof members.nextPageLink === 'string'
        ? { ...members, nextPageLink: change(members.nextPageLink, call) }
        : members,
    ),
  );
}

/** Another spelling of the count, which need not be valid JSON. */
export function count(literal: string): Behaviour {
  return lists(body((text) => text.replace(/"count":\d+/, `"count":${literal}`)));
}

/** A header more, or another value of one. */
export function header(name: string, value: string | ((call: Call) => string)): Behaviour {
  return ({ answer, ...call }) => {
    const others = answer.headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase());
    const given = typeof value === 'string' ? value : value({ ...call, answer });
    return { ...answer, headers: [...others, [name, given]] };
  };
}

/** Bytes, and then the end of the connection. */
export function raw(bytes: string | Buffer | ((call: Call) => string | Buffer)): Behaviour {
  return (call) => {
    const given = typeof bytes === 'function' ? bytes(call) : bytes;
    call.socket.end(typeof given === 'string' ? Buffer.from(given, 'latin1') : given);
    return null;
  };
}

/** Bytes, and then nothing more. */
export function open(bytes: string | ((call: Call) => string | Buffer)): Behaviour {
  return (call) => {
    call.socket.write(typeof bytes === 'string' ? bytes : bytes(call));
    return null;
  };
}

/** A head, and then the same piece for ever, as fast as the reader takes it. */
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

/** A head, and then the same piece for ever, one every few milliseconds. */
export function dripping(head: string, piece: string): Behaviour {
  return ({ socket, every }) => {
    socket.write(head);
    every(5, () => socket.write(piece));
    return null;
  };
}

/** The right answer, cut after that share of its bytes; what then happens to the connection is the caller's. */
export function half(call: Call, share = 0.5): Buffer {
  const bytes = written(call.answer);
  return bytes.subarray(0, Math.floor(bytes.length * share));
}

/** An answer of another status, with nothing in it unless told. */
export function status(code: number, headers: Answer['headers'] = [], text = ''): Behaviour {
  return () => ({ status: code, reason: 'Odd', headers, body: Buffer.from(text) });
}

/** The right head with another body, already encoded as its Content-Encoding says. */
export function encoded(coding: string, bytes: () => Buffer): Behaviour {
  return (call) => {
    const changed = header('Content-Encoding', coding)(call) as Answer;
    return { ...changed, body: bytes() };
  };
}
