import type { ListClient } from '../../provider/list-client.ts';
import { type ListAnswer, othersIn, type Page, sameAnswer, sameCount } from '../../provider/page.ts';
import { connectionFor, type Snapshot } from '../../provider/snapshot.ts';
import type { Breach, Violation } from '../violation.ts';

/** Requests of a breach that are repeated at most. */
const MAX_PROOFS = 4;

/** Minimum number of repetitions: in fewer, data that changes at every read may look the same. */
const MIN_REPETITIONS = 12;

/**
 * Whether repeated requests give the same answers that prove the breaches, and a list of the same length. They are sent at
 * least four times, in alternating order, to detect a list that alternates in step with the snapshots.
 */
export async function isSteady(snapshot: Snapshot, breaches: readonly Breach[]): Promise<boolean> {
  const numbers = new Set(breaches.flatMap(({ exchanges }) => exchanges));
  const proofs = snapshot
    .answers()
    .filter(({ exchange }) => numbers.has(exchange))
    .slice(0, MAX_PROOFS)
    .map((answer) => ({ answer, isSame: sameAnswer }));
  if (proofs.length === 0) return true;
  const end = (await snapshot.startedTraversal(null))?.steps.at(-1)?.page;
  if (end !== undefined && !numbers.has(end.exchange)) proofs.push({ answer: end, isSame: sameLength });
  const back = proofs.toReversed();
  // The first one more often: otherwise each third request might be for the same page.
  const round = [...proofs, ...back, ...proofs.slice(0, 1), ...back, ...proofs];
  const rounds = Array.from({ length: Math.ceil(MIN_REPETITIONS / round.length) }, () => round);
  for (const { answer, isSame } of rounds.flat()) {
    const again = await snapshot.client.authorized(answer.target, {
      after: answer.exchange,
      connection: connectionFor(answer.target),
    });
    if (!isSame(answer, again)) return false;
  }
  return isFresh(
    snapshot,
    proofs.map(({ answer }) => answer),
  );
}

/**
 * Whether pages are those of the list now, and not what caches keep from different times: requests with a further parameter that
 * no earlier one had give the same records and count. What is refused or read in another way because of it shows nothing.
 */
async function isFresh({ client }: Snapshot, answers: readonly ListAnswer[]): Promise<boolean> {
  for (const answer of answers) {
    if (answer.kind !== 'page') continue;
    const further = `x=${answer.exchange}`;
    const now = await client.authorized(
      `${answer.target}${answer.target.includes('?') ? '&' : '?'}${further}`,
    );
    if (now.kind !== 'page' || (now.count === undefined) !== (answer.count === undefined)) continue;
    if (sameCount(now.count, answer.count)) {
      if (othersIn(now, answer) === 0 && now.itemCount === answer.itemCount) continue;
      // A page of another size of a list of the same length: the request is read in another way.
      if (now.itemCount !== answer.itemCount && (await hasSameLength(client, now, further))) continue;
    }
    return false;
  }
  return true;
}

/**
 * Whether the requests of a breach give the same pages again, and with a further parameter, which no cache knows, no other
 * records than those of the traversal, where count was the same in the whole run.
 */
export async function holdsKnownRecords(snapshot: Snapshot, { breaches }: Violation): Promise<boolean> {
  const { client } = snapshot;
  const { counts } = client.records;
  const main = await snapshot.startedTraversal(null);
  if (counts === null || counts.first !== counts.last || counts.hasReturned || main === null) return false;
  const numbers = new Set(breaches.flatMap(({ exchanges }) => exchanges));
  const proofs = snapshot.answers().filter(({ exchange }) => numbers.has(exchange));
  if (proofs.some(({ kind }) => kind !== 'page')) return false;
  for (const proof of proofs) {
    const { target, exchange } = proof;
    if (!sameAnswer(await client.authorized(target), proof)) return false;
    const now = await client.authorized(`${target}${target.includes('?') ? '&' : '?'}x=${exchange}`);
    if (now.kind !== 'page' || (now.count !== undefined && now.count !== counts.last)) return false;
    if (main.reached.countMissing(now.identities) > 0) return false;
  }
  return proofs.length > 0;
}

/** Whether the list has the length that was last seen. A page without a count does not show it: one that has it is requested. */
async function hasSameLength(client: ListClient, { count }: Page, further: string): Promise<boolean> {
  if (count !== undefined) return true;
  const last = client.records.counts?.last;
  const counted = await client.authorized(`${client.path}?$count=true&$pagesize=1&${further}`);
  return counted.kind === 'page' && last !== undefined && counted.count === last;
}

/** Whether the ends of two traversals show a list of the same length. */
function sameLength(one: ListAnswer, other: ListAnswer): boolean {
  if (one.kind !== 'page' || other.kind !== 'page') return sameAnswer(one, other);
  return one.itemCount === other.itemCount && sameCount(one.count, other.count);
}
