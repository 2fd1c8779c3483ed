import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Exchange, HttpRequest } from '../../../src/core/exchange.ts';
import { attributed, Requester } from '../../../src/run/requester.ts';

const REQUEST: HttpRequest = {
  method: 'GET',
  origin: 'http://127.0.0.1:9',
  target: '/',
  headers: [],
  body: null,
};

/** A sender that answers in a later turn in the context of the first requester, like a queue of requests. */
function sender() {
  const requesters: (string | null)[] = [];
  let number = 0;
  const queue: (() => void)[] = [];
  const drain = async (): Promise<void> => {
    while (queue.length > 0) {
      await turn();
      queue.shift()?.();
    }
  };
  const { send } = attributed((_request, { requester = null, onAnswer }) => {
    requesters.push(requester);
    const exchange = { number: ++number, connection: 1, answer: { status: 200 } } as unknown as Exchange;
    return new Promise((resolve) => {
      queue.push(() => {
        onAnswer?.(exchange);
        resolve(exchange);
      });
      if (queue.length === 1) void drain();
    });
  });
  return {
    send: (onAnswer?: (exchange: Exchange) => void) => send(REQUEST, { onAnswer }),
    requesters,
  };
}

describe('the requester of a request', () => {
  it('is the one whose work sends it, even if it is sent late while others run', async () => {
    const { send, requesters } = sender();
    const uses = new Set<number>();
    const [one, other] = [new Requester('one', uses), new Requester('other', new Set())];
    const twice = async (): Promise<void> => {
      await send();
      await send();
    };
    await Promise.all([one.run(twice), other.run(() => send())]);
    await send();
    expect(requesters).toEqual(['one', 'other', 'one', null]);
    expect(await one.requests()).toBe(2);
    expect(await other.requests()).toBe(1);
    expect([...uses]).toEqual([1, 3]);
  });

  it('stays the same for requests sent after an answer', async () => {
    const { send, requesters } = sender();
    const [one, other] = [new Requester('one', new Set()), new Requester('other', new Set())];
    const next: Promise<unknown>[] = [];
    await Promise.all([
      one.run(() => send()),
      other.run(() =>
        send(() => {
          next.push(send());
          return true;
        }),
      ),
    ]);
    await Promise.all(next);
    expect(requesters).toEqual(['one', 'other', 'other']);
  });

  it('measures how long its requests were in flight, counting parallel ones once', async () => {
    const requester = new Requester('one', new Set());
    const spans = [
      [1000, 40],
      [1020, 40],
      [2000, 5],
    ] as const;
    for (const [startedAt, durationMs] of spans) {
      const exchange = { number: 1, connection: 1, answer: { status: 200 }, startedAt, durationMs };
      requester.count(Promise.resolve(exchange as unknown as Exchange));
    }
    requester.count(Promise.reject(new Error('stopped')));
    expect(await requester.requestMs()).toBe(65);
    expect(await new Requester('two', new Set()).requestMs()).toBe(0);
  });
});
