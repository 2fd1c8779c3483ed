import { sameAnswer } from './page.ts';
import type { Snapshot } from './snapshot.ts';

/** The snapshots of one list: the first is shared by all checks, the others are taken to confirm breaches. */
export class Snapshots {
  readonly #take: (number: number) => Snapshot;
  readonly #snapshots: Snapshot[] = [];

  constructor(take: (number: number) => Snapshot) {
    this.#take = take;
  }

  /** The snapshot of that number, from 0; created on first use. */
  at(number: number): Snapshot {
    while (this.#snapshots.length <= number) this.#snapshots.push(this.#take(this.#snapshots.length));
    return this.#snapshots[number] as Snapshot;
  }

  /** The snapshots up to the one of that number, in order. */
  upTo(number: number): readonly Snapshot[] {
    return this.#snapshots.slice(0, number + 1);
  }

  /** Whether the list gives another answer now than in that snapshot. */
  async moved(number: number): Promise<boolean> {
    const snapshot = this.at(number);
    const target = snapshot.targetOf({ count: true });
    const [then, now] = await Promise.all([snapshot.at(target), snapshot.client.authorized(target)]);
    return !sameAnswer(then, now);
  }
}
