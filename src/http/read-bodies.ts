import { collectGarbage, collectYoungGarbage } from '../core/garbage.ts';

/** Bytes of a body that counts, and of those together after which what they took is given back. */
const COUNTED_BYTES = 524_288;
const COLLECTED_BYTES = 16_777_216;
/** Bytes of smaller bodies together after which those among them that nobody refers to are given back. */
const YOUNG_BYTES = 4_194_304;

/** Turns of the loop in which whoever asked has read an answer: a walk first lets its next request leave. */
const TURNS_TO_READ = 6;

/** Gives back what bodies took once they are read: they lie outside of the heap by whose growth the engine looks. */
export class ReadBodies {
  #uncollected = 0;
  #young = 0;

  /** Takes notice of a body that was handed on; `release` is called when no one may hold it any longer. */
  letGo(bytes: number, release: () => void): void {
    if (bytes < COUNTED_BYTES) {
      release();
      this.#collectYoung(bytes);
      return;
    }
    // Whoever asked reads the answer in the next turns of the loop; nothing here may hold it any longer.
    afterTurns(TURNS_TO_READ, () => {
      this.#collect(bytes);
      release();
    });
  }

  // Of bodies that are not small the engine lets many lie, each with what was made of it.
  #collect(bytes: number): void {
    this.#uncollected += bytes;
    if (this.#uncollected < COLLECTED_BYTES) return;
    this.#uncollected = 0;
    collectGarbage();
  }

  // Small ones lie as well, twice each.
  #collectYoung(bytes: number): void {
    this.#young += bytes;
    if (this.#young < YOUNG_BYTES) return;
    this.#young = 0;
    collectYoungGarbage();
  }
}

function afterTurns(turns: number, run: () => void): void {
  setImmediate(() => (turns === 1 ? run() : afterTurns(turns - 1, run)));
}
