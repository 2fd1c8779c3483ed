import type { Exchange } from '../../core/exchange.ts';
import type { Json } from '../../core/results.ts';
import { Undecided } from '../../core/undecided.ts';
import { readJson } from '../../provider/json-reader.ts';
import { Violation } from '../violation.ts';
import type { Answer, Breach, Findings } from './check-types.ts';

/**
 * Findings of one attempt at a check.
 *
 * @param exercised called for each expectation
 * @param last the number of the last exchange; null if there is none yet
 */
export function findingsOf(exercised: () => void, last: () => number | null): Findings {
  return {
    expect: (holds, breach) => {
      exercised();
      if (holds) return;
      const { message, answers, ...rest }: Breach = typeof breach === 'string' ? { message: breach } : breach;
      const lastExchange = last();
      const exchanges =
        answers?.map(({ exchange }) => exchange) ?? (lastExchange === null ? [] : [lastExchange]);
      throw new Violation({ expected: null, actual: null, ...rest, message, exchanges });
    },
    inconclusive: (reason) => {
      throw new Undecided({ kind: 'data', needs: 'other data', records: null }, reason);
    },
    skip: (reason) => {
      throw new Undecided({ kind: 'unselected' }, reason);
    },
  };
}

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
