import { isGranted, isRefused, type TokenAnswer } from './token-answer.ts';
import type { TokenEndpoint } from './token-endpoint.ts';
import type { TokenHistory } from './token-history.ts';
import { USUAL_ON_NEW_CONNECTION } from './token-spellings.ts';

/** Valid requests over new connections that show whether every server refuses them. */
const CONTROLS = 6;

/**
 * Finds out whether each of several servers refuses valid requests, or only one that may have locked the client out.
 */
export class RefusalControl {
  readonly #endpoint: TokenEndpoint;
  readonly #history: TokenHistory;
  /** Whether such requests were sent and leave no doubt, or are under way. */
  #isOver: boolean = false;

  constructor(endpoint: TokenEndpoint, history: TokenHistory) {
    this.#endpoint = endpoint;
    this.#history = history;
  }

  /**
   * Sends valid requests over new connections if one is refused although another was accepted and no wrong one was sent
   * since. If all are refused, so does the server that accepted one, and the refusal is noted as proven.
   */
  async prove(answer: TokenAnswer): Promise<void> {
    const history = this.#history;
    if (this.#isOver || !isRefused(answer) || !history.isUnprovoked(answer)) return;
    this.#isOver = true;
    const controls = await Promise.all(
      Array.from({ length: CONTROLS }, () =>
        this.#endpoint.sendValid(this.#endpoint.validForm(), USUAL_ON_NEW_CONNECTION),
      ),
    );
    const isProven = controls.every(isRefused) && history.isUndisturbed(answer);
    if (isProven) history.provenRefusals.push(answer);
    this.#isOver = isProven || controls.some(isGranted);
  }
}
