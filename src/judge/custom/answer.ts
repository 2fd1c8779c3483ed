import type { Exchange } from '../../core/exchange.ts';
import type { Json } from '../../core/results.ts';
import { readJson } from '../../provider/json-reader.ts';
import type { Answer } from './check-types.ts';

/**
 * An answered exchange for custom checks.
 *
 * @param maxDepth arrays and objects within each other, from limits.maxJsonDepth
 */
export function answerOf(exchange: Exchange, maxDepth: number): Answer {
  const { answer, number, request } = exchange;
  if (answer === null) throw new Error('an exchange without an answer');
  let read: { readonly value: Json | undefined } | null = null;
  return {
    exchange: number,
    target: request.target,
    status: answer.status,
    headers: Object.fromEntries(
      answer.headers.toReversed().map(([name, value]) => [name.toLowerCase(), value]),
    ),
    get text() {
      return new TextDecoder().decode(answer.body);
    },
    get json() {
      const body = readJson(answer, maxDepth);
      read ??= { value: body.ok ? body.value : undefined };
      return read.value;
    },
  };
}
