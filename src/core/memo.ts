/** Values that are made once and kept as long as the object that owns the memo. */
export class Memo {
  readonly #values = new Map<unknown, unknown>();

  /** What `make` returned when it was first passed here; the arguments of later calls do not count. */
  once<Parameters extends readonly unknown[], Value>(
    make: (...parameters: Parameters) => Value,
    ...parameters: Parameters
  ): Value {
    if (!this.#values.has(make)) this.#values.set(make, make(...parameters));
    return this.#values.get(make) as Value;
  }
}
