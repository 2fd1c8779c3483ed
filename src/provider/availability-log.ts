import type { Exchange } from '../core/exchange.ts';

/** Failed calls of an outage at least, so that a fault of every n-th call is none. */
const MIN_FAILED = 3;
/** Calls that are answered after an outage at least. */
const MIN_ANSWERED = 10;
/** Statuses of calls that may be refused because of their parameters or their token. They show nothing. */
const UNCLEAR: readonly number[] = [400, 401, 414, 422, 429];

/** Start and end of a call, in milliseconds since the epoch. */
interface Call {
  readonly from: number;
  readonly to: number;
}

/** When calls with a token were answered 200, and when they failed. */
export class AvailabilityLog {
  readonly #answered: Call[] = [];
  readonly #failed: Call[] = [];

  /** Adds a call with a token of the run, answered or not. */
  note({ answer, startedAt, durationMs }: Exchange): void {
    const call = { from: startedAt, to: startedAt + durationMs };
    if (answer?.status === 200) this.#answered.push(call);
    else if (answer === null || !UNCLEAR.includes(answer.status)) this.#failed.push(call);
  }

  /**
   * Whether one outage explains every failed call: none was answered between the first and the last of them, and enough were
   * since.
   */
  get hadOutage(): boolean {
    if (this.#failed.length < MIN_FAILED) return false;
    const firstEnded = Math.min(...this.#failed.map(({ to }) => to));
    const lastStarted = Math.max(...this.#failed.map(({ from }) => from));
    const between = this.#answered.some(({ from, to }) => from > firstEnded && to < lastStarted);
    const after = this.#answered.filter(({ from }) => from > lastStarted);
    return !between && after.length >= MIN_ANSWERED;
  }
}
