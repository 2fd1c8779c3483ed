/** Counts requests with a wrong secret for one client, including repetitions. */
export class WrongSecretCounter {
  sent = 0;
  /** How many of them repeated a failed one. */
  repeated = 0;
  #inARow = 0;

  /** How many were sent since a right one. */
  get inARow(): number {
    return this.#inARow;
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
