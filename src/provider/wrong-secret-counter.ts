/** Wrong secrets in a row at most, since lock-outs count consecutive ones. */
const MAX_WRONG_IN_A_ROW = 3;

/** Counts requests with a wrong secret for one client, including repetitions. */
export class WrongSecretCounter {
  sent = 0;
  /** How many of them repeated a failed one. */
  repeated = 0;
  #inARow = 0;

  /** How many may be sent before a right one. */
  get leftBeforeRight(): number {
    return Math.max(0, MAX_WRONG_IN_A_ROW - this.#inARow);
  }

  count(requests: number): void {
    this.sent += requests;
    this.#inARow += requests;
  }

  /** To be called when a right one was answered; wrong ones that were sent since its start may have come after it. */
  answeredRight(sentBefore: number): void {
    this.#inARow = Math.min(this.#inARow, this.sent - sentBefore);
  }
}
