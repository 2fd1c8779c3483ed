import type { Behaviour } from './hostile/altering-proxy.ts';
import { written } from './hostile/altering-proxy.ts';

/** A rate at which a run takes about two seconds, so that an outage of one second covers part of it. */
export const SLOWLY = { requestsPerSecond: 100, concurrency: 4 };

/**
 * The reaction of a gateway to a request, by its number (from 1) and the milliseconds since the start; null
 * to forward it.
 */
export type Fault = (number: number, elapsedMs: number) => 'reset' | 'truncate' | 'cut' | number | null;

/** A sequence of numbers from 0 to 1 that depends only on the seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Answers every request in a time span with a status. */
export function outage(status: number | 'reset', fromMs: number, lastsMs: number): Fault {
  return (_number, elapsedMs) => (elapsedMs >= fromMs && elapsedMs < fromMs + lastsMs ? status : null);
}

/** The same from a request on, by its number. */
export function outageAt(number: number, status: number, lastsMs: number): Fault {
  let beganAt: number | null = null;
  return (current, elapsedMs) => {
    if (current >= number) beganAt ??= elapsedMs;
    return beganAt !== null && elapsedMs < beganAt + lastsMs ? status : null;
  };
}

/** A gateway that answers every request from one on with the same JSON and status 200, for so many milliseconds. */
export function replacedFrom(number: number, lastsMs = Number.POSITIVE_INFINITY): Behaviour {
  let current = 0;
  let beganAt = Number.POSITIVE_INFINITY;
  return ({ answer }) => {
    current += 1;
    if (current === number) beganAt = performance.now();
    if (current < number || performance.now() > beganAt + lastsMs) return answer;
    const body = Buffer.from('{"status":"maintenance"}');
    return { status: 200, reason: 'OK', headers: [['Content-Type', 'application/json']], body };
  };
}

/** Answers one request, by its number. */
export function once(fault: 'truncate' | 'cut' | 'reset' | number, at: number): Fault {
  return (number) => (number === at ? fault : null);
}

/** Answers each request with this probability. */
export function some(fault: 'reset' | number, share: number, seed: number): Fault {
  const random = randomFrom(seed);
  return () => (random() < share ? fault : null);
}

/** A gateway that forwards answers except for a fault. */
export function committing(fault: Fault): Behaviour {
  let number = 0;
  const startedAt = performance.now();
  return ({ answer, socket }) => {
    number += 1;
    const what = fault(number, performance.now() - startedAt);
    if (what === null) return answer;
    if (typeof what === 'number')
      return {
        status: what,
        reason: 'Fault',
        headers: [['Content-Type', 'text/html']],
        body: Buffer.from('<html>'),
      };
    if (what === 'reset') {
      socket.resetAndDestroy();
      return null;
    }
    const half = Math.floor(answer.body.length / 2);
    if (what === 'truncate') {
      socket.end(written(answer).subarray(0, -half - 1));
      return null;
    }
    // Like an HTTP/1.0 gateway: without Content-Length, the end of the connection ends the body.
    const lines = answer.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const head = `HTTP/1.1 ${answer.status} ${answer.reason}\r\n${lines}Connection: close\r\n\r\n`;
    socket.end(Buffer.concat([Buffer.from(head, 'latin1'), answer.body.subarray(0, half)]));
    return null;
  };
}

/** A provider that forgets all tokens before it answers a certain request. */
export function forgetting(at: number): Behaviour {
  let number = 0;
  let issued = new Set<string>();
  let lost = new Set<string>();
  return ({ kind, answer, head }) => {
    number += 1;
    if (number === at) {
      lost = issued;
      issued = new Set();
    }
    const sent = /^authorization: bearer (\S+)/im.exec(head)?.[1] ?? '';
    if (kind === 'list')
      return lost.has(sent) ? { status: 401, reason: 'Lost', headers: [], body: Buffer.from('') } : answer;
    if (answer.status === 200) issued.add(JSON.parse(answer.body.toString()).access_token);
    return answer;
  };
}

/** Only the newest token is in force, and another user of the credentials requests one in such intervals. */
export function sharedCredentials(intervalMs: number): Behaviour {
  const intervalNow = (): number => Math.floor(performance.now() / intervalMs);
  let newest = { token: '', interval: 0 };
  return ({ kind, answer, head }) => {
    if (kind !== 'list') {
      if (answer.status === 200)
        newest = { token: JSON.parse(answer.body.toString()).access_token, interval: intervalNow() };
      return answer;
    }
    const sent = /^authorization: bearer (\S+)/im.exec(head)?.[1] ?? '';
    return sent === newest.token && newest.interval === intervalNow()
      ? answer
      : { status: 401, reason: 'Ended', headers: [], body: Buffer.from('') };
  };
}
