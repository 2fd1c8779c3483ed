/** Caches values for the lifetime of the memo. */
export class Memo {
  readonly #values = new Map<unknown, unknown>();

  /** Returns the result of the first call with this `make`; the arguments of later calls are ignored. */
  once<Parameters extends readonly unknown[], Value>(
    make: (...parameters: Parameters) => Value,
    ...parameters: Parameters
  ): Value {
    if (!this.#values.has(make)) this.#values.set(make, make(...parameters));
    return this.#values.get(make) as Value;
  }
}
