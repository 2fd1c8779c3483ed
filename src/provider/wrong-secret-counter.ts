/** Wrong secrets that may follow each other before a right one is sent: lockouts count consecutive ones. */
const MAX_WRONG_IN_A_ROW = 3;

/** How many requests with a wrong secret were sent for one client; repetitions count. */
export class WrongSecretCounter {
  sent = 0;
  /** How many of them repeated one that came to nothing. */
  repeated = 0;
  #inARow = 0;

  /** How many may follow before a right one. */
  get leftBeforeRight(): number {
    return Math.max(0, MAX_WRONG_IN_A_ROW - this.#inARow);
  }

  count(requests: number): void {
    this.sent += requests;
    this.#inARow += requests;
  }

  /** Takes notice that a right one was answered; wrong ones sent since it was begun may have come after it. */
  answeredRight(sentBefore: number): void {
    this.#inARow = Math.min(this.#inARow, this.sent - sentBefore);
  }
}
