import type { Exchange } from '../../core/exchange.ts';
import { changing } from '../../core/undecided.ts';
import { type Identifier, identityOf, USUAL_ID_FIELD } from '../../provider/identity.ts';
import { sameAnswer } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Step } from '../../provider/traversal.ts';
import { wrongIdField } from '../probes/traversal-completeness.ts';

/** A record that a traversal gives twice. */
export interface DuplicateRecord {
  /** Null if the pages no longer hold a record twice when they are read again: then the duplicate is only suspected. */
  readonly identifier: Identifier | null;
  readonly first: Step;
  /** The same step as `first` if one page holds it twice. */
  readonly second: Step;
  /** Exchanges that show it, the most important one first. */
  readonly exchanges: readonly number[];
}

/** Pairs of pages that are read again at most. More than one is needed only if hashes are equal by chance. */
const MAX_PAIRS = 4;

/**
 * The first record that pages of a traversal give twice; `unidentified` if items have no identifier. Equal
 * hashes only raise a suspicion: the two pages are read again, and their identifiers are compared as text.
 * Throws Undecided if several pairs of pages have equal hashes but different identifiers, and as
 * Snapshot.exchange does.
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
      throw changing(
        `${MAX_PAIRS} pairs of pages were read again because of equal hashes, and their identifiers differ`,
      );
    compared.add(pair);
    const duplicate = await readAgain(snapshot, suspicion);
    if (duplicate !== null) return duplicate;
  }
  return null;
}

interface Suspicion {
  readonly identity: bigint;
  readonly first: Step;
  readonly second: Step;
}

/**
 * Whether a page may hold a record that the traversal gave before, or a record without an identifier: the traversal has
 * counted the new records of each page.
 */
export function mayHoldDuplicates({ page, fresh }: Step): boolean {
  return fresh < page.identities.length || page.identities.includes(0n);
}

function* suspicionsIn(steps: readonly Step[]): Generator<Suspicion | 'unidentified'> {
  for (const second of steps) {
    if (!mayHoldDuplicates(second)) continue;
    const identities = new Set(second.page.identities);
    const places = new Map<bigint, Step>();
    for (const step of steps) {
      if (step === second) break;
      for (const identity of step.page.identities)
        if (identities.has(identity) && !places.has(identity)) places.set(identity, step);
    }
    for (const identity of second.page.identities) {
      if (identity === 0n) yield 'unidentified';
      const first = places.get(identity);
      if (first === undefined) places.set(identity, second);
      else yield { identity, first, second };
    }
  }
}

// Null if both pages are unchanged and hold no identifier twice.
async function readAgain(
  snapshot: Snapshot,
  { identity, first, second }: Suspicion,
): Promise<DuplicateRecord | null> {
  // A link may be bound to the token that obtained it.
  const readPage = ({ page }: Step): Promise<Exchange> =>
    snapshot.exchange(page.target, { after: page.exchange });
  const one = await readPage(first);
  const other = first === second ? null : await readPage(second);
  const identifiers = snapshot.client.records.identifiersIn(one);
  const identifier = inBoth(identifiers, other && snapshot.client.records.identifiersIn(other), identity);
  const traversed = [second.page.exchange, ...(other === null ? [] : [first.page.exchange])];
  if (identifier !== null) {
    const again = [...(other === null ? [] : [other.number]), one.number];
    return { identifier, first, second, exchanges: [...again, ...traversed] };
  }
  for (const { page } of new Set([first, second])) {
    if (!sameAnswer(await snapshot.at(page.target), page))
      return { identifier: null, first, second, exchanges: traversed };
  }
  return null;
}

/** The identifier that both pages hold, or that a single page holds twice; the one with that hash is preferred. */
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

/**
 * Throws Undecided if the target file names a member as the identifier that two different records share: then it is
 * another member that identifies an item.
 */
export async function expectIdentifying(snapshot: Snapshot, duplicate: DuplicateRecord): Promise<void> {
  const { resource, records, target } = snapshot.client;
  const { identifier, first, second } = duplicate;
  if (resource.idField === USUAL_ID_FIELD || identifier === null) return;
  const pages = [...new Set([first, second])].map(({ page }) => page);
  const exchanges = await Promise.all(
    pages.map(({ target, exchange }) => snapshot.exchange(target, { after: exchange })),
  );
  if (!records.isShared(identifier, exchanges)) return;
  const said = `different records have the same ${resource.idField}, ${identifier.name}`;
  throw wrongIdField(target, resource, said);
}
