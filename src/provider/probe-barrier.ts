import type { TokenAnswer } from './token-answer.ts';

/** The barrier of checks that send requests which must be refused in parallel, and the valid request after all of them. */
export class ProbeBarrier {
  #checks: number = 0;
  #isAwaited: boolean = false;
  #resolveControl: (control: Promise<TokenAnswer>) => void = () => undefined;
  readonly control = new Promise<TokenAnswer>((resolve) => {
    this.#resolveControl = resolve;
  });

  enter(): void {
    this.#checks++;
  }

  /** True for the last check. It sends the valid request if any check waits for it. */
  leave(awaits: boolean, ask: () => Promise<TokenAnswer>): boolean {
    this.#checks--;
    this.#isAwaited ||= awaits;
    if (this.#checks > 0) return false;
    if (this.#isAwaited) this.#resolveControl(ask());
    return true;
  }
}
