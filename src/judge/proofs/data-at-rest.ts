import { type Identities, IdentitySet } from '../../provider/identity.ts';
import type { Snapshot } from '../../provider/snapshot.ts';

/** Answers in a row to one request that must differ in order to prove that a provider shuffles its records. */
const REPEATS = 4;

/**
 * Whether the data was at rest during the last snapshots (two or more), although their answers differ. It was if count
 * is the same in all of them and equals the number of all records seen, and if the order changes with every answer:
 * changed data does not explain that.
 */
export async function isProvenAtRest(snapshots: readonly Snapshot[]): Promise<boolean> {
  const counts = new Set<unknown>();
  const union = new IdentitySet();
  let taken = 0;
  // Shuffled pages miss records by chance, so more snapshots show more records.
  for (const snapshot of snapshots.toReversed()) {
    for (const page of snapshot.pages()) {
      if (page.count !== undefined) counts.add(page.count);
      union.addAll(page.identities);
    }
    if (counts.size > 1) return false;
    const last = snapshots.at(-1);
    if (++taken > 1 && counts.has(union.size) && last !== undefined) return shuffles(last);
  }
  return false;
}

async function shuffles(snapshot: Snapshot): Promise<boolean> {
  const target = snapshot.targetOf({ count: true });
  let before: Identities | null = null;
  for (let repeat = 0; repeat <= REPEATS; repeat++) {
    const answer = await snapshot.client.authorized(target);
    if (answer.kind !== 'page') return false;
    if (before !== null && countMovedRecords(before, answer.identities) < Math.max(4, answer.itemCount / 50))
      return false;
    before = answer.identities;
  }
  return true;
}

/** The least number of records that must move to bring both answers into the same order; only records in both count. */
export function countMovedRecords(one: Identities, other: Identities): number {
  const places = new Map<bigint, number>();
  for (const [index, identity] of one.entries()) places.set(identity, index);
  // Longest increasing subsequence by patience sorting: the records in it need not be moved.
  const tails: number[] = [];
  let shared = 0;
  for (const identity of other) {
    const place = places.get(identity);
    if (place === undefined) continue;
    shared++;
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((tails[middle] as number) < place) low = middle + 1;
      else high = middle;
    }
    tails[low] = place;
  }
  return shared - tails.length;
}
