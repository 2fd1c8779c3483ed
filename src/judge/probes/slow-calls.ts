import type { Exchange } from '../../core/exchange.ts';
import { type CheckContext, waitFor } from '../context.ts';

/** How calls are made at a pace that hardly any rate limit refuses. */
interface SlowPace {
  /** Milliseconds before each call. */
  readonly pauseMs: number;
  /** Calls at most. */
  readonly most: number;
  /** Calls in a row, without another request of the run in between, after which a limit is over. */
  readonly callsBefore: number;
  /** Requests that a call makes at most, such as that for its token. */
  readonly requests: number;
}

/** Makes calls one after another, and says which of them follow enough others without a request in between. */
export async function* slowCalls(
  context: CheckContext,
  { pauseMs, most, callsBefore, requests }: SlowPace,
  call: (number: number) => Promise<Exchange>,
): AsyncGenerator<{ readonly exchange: Exchange; readonly isUndisturbed: boolean }> {
  let inRow = 0;
  let before = 0;
  for (let number = 0; number < most; number++) {
    await waitFor(pauseMs, context);
    const exchange = await call(number);
    inRow = exchange.number <= before + requests ? inRow + 1 : 0;
    before = exchange.number;
    yield { exchange, isUndisturbed: inRow >= callsBefore };
  }
}
