import type { TokenAnswer } from './token-answer.ts';

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

/** Those who send requests that must be refused, side by side, and the right request that follows all of them. */
export class ProbeBarrier {
  #underWay: number = 0;
  #awaited: boolean = false;
  #follow: (control: Promise<TokenAnswer>) => void = () => undefined;
  readonly control = new Promise<TokenAnswer>((resolve) => {
    this.#follow = resolve;
  });

  enter(): void {
    this.#underWay++;
  }

  /** True for the last one. Asks for the control then, if somebody waits for it. */
  leave(awaits: boolean, ask: () => Promise<TokenAnswer>): boolean {
    this.#underWay--;
    this.#awaited ||= awaits;
    if (this.#underWay > 0) return false;
    if (this.#awaited) this.#follow(ask());
    return true;
  }
}
