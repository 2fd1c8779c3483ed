import { Undecided } from '../core/undecided.ts';
import { type Identifier, identityOf } from '../provider/identity.ts';
import { sameAnswer } from '../provider/page.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Step } from '../provider/traversal.ts';

/** A record that pages of a traversal give twice. */
export interface DuplicateRecord {
  /** Null where the pages, read again, were others and hold no record twice: then it is no more than suspected. */
  readonly identifier: Identifier | null;
  readonly first: Step;
  /** The same step where it stands on one page twice. */
  readonly second: Step;
  /** Those that show it, the telling one first. */
  readonly exchanges: readonly number[];
}

/** Pairs of pages that are read again: more than one is needed only where identities are alike by chance. */
const MAX_PAIRS = 4;

/** Whether a page gives a record that the traversal had met, or one that cannot be told from others. */
export function mayHoldDuplicates(steps: readonly Step[]): boolean {
  return steps.some(isSuspect);
}

/**
 * The first record that pages of a traversal give twice; `unidentified` where items have no identifier to tell. Identities
 * only raise the suspicion: the two pages are read again, and their identifiers compared letter by letter. Throws
 * Undecided where pages keep having identities in common and no identifiers, and as Snapshot.exchange does.
 */
export async function findDuplicate(
  snapshot: Snapshot,
  steps: readonly Step[],
): Promise<DuplicateRecord | 'unidentified' | null> {
  const compared = new Set<string>();
  for (const suspicion of suspicionsIn(steps)) {
    if (suspicion === 'unidentified') return suspicion;
    const pair = `${suspicion.first.number} ${suspicion.second.number}`;
    if (compared.has(pair)) continue;
    if (compared.size === MAX_PAIRS)
      throw new Undecided(
        { kind: 'changing' },
        `${MAX_PAIRS} pairs of pages were read again for identifiers that look alike and were not`,
      );
    compared.add(pair);
    const double = await readAgain(snapshot, suspicion);
    if (double !== null) return double;
  }
  return null;
}

interface Suspicion {
  readonly identity: bigint;
  readonly first: Step;
  readonly second: Step;
}

// The traversal has told already which page gives less that is new than it holds: only those are looked at closely.
function isSuspect({ page, fresh }: Step): boolean {
  return fresh < page.identities.length || page.identities.includes(0n);
}

function* suspicionsIn(steps: readonly Step[]): Generator<Suspicion | 'unidentified'> {
  for (const second of steps) {
    if (!isSuspect(second)) continue;
    const own = new Set(second.page.identities);
    const places = new Map<bigint, Step>();
    for (const step of steps) {
      if (step === second) break;
      for (const identity of step.page.identities)
        if (own.has(identity) && !places.has(identity)) places.set(identity, step);
    }
    for (const identity of second.page.identities) {
      if (identity === 0n) yield 'unidentified';
      const first = places.get(identity);
      if (first === undefined) places.set(identity, second);
      else yield { identity, first, second };
    }
  }
}

// Null where both pages are as they were, and hold no identifier twice.
async function readAgain(
  snapshot: Snapshot,
  { identity, first, second }: Suspicion,
): Promise<DuplicateRecord | null> {
  const one = await snapshot.exchange(first.page.target);
  const other = first === second ? null : await snapshot.exchange(second.page.target);
  const identifiers = snapshot.client.identifiersIn(one);
  const identifier = inBoth(identifiers, other && snapshot.client.identifiersIn(other), identity);
  const walked = [second.page.exchange, ...(other === null ? [] : [first.page.exchange])];
  if (identifier !== null) {
    const again = [...(other === null ? [] : [other.number]), one.number];
    return { identifier, first, second, exchanges: [...again, ...walked] };
  }
  for (const { page } of new Set([first, second])) {
    if (!sameAnswer(await snapshot.at(page.target), page))
      return { identifier: null, first, second, exchanges: walked };
  }
  return null;
}

/** The identifier that both pages hold, or one page twice where there is no other; that of the identity before others. */
function inBoth(
  one: readonly Identifier[],
  other: readonly Identifier[] | null,
  identity: bigint,
): Identifier | null {
  const seen = new Set(other === null ? [] : one.map(({ key }) => key));
  let found: Identifier | null = null;
  for (const identifier of other ?? one) {
    const { key } = identifier;
    if (seen.has(key)) {
      if (identityOf(key) === identity) return identifier;
      found ??= identifier;
    } else if (other === null) seen.add(key);
  }
  return found;
}
