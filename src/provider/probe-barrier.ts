import type { TokenAnswer } from './token-answer.ts';

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
