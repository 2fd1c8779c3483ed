import { observation } from '../../src/judge/observation.ts';
import { sameIdentities } from '../../src/provider/identity.ts';
import { othersIn, type Page } from '../../src/provider/page.ts';

export const order = observation({
  id: 'observe/order',
  clause: ['4.3'],
  of: 'Whether a repeated request returns the records in the same order.',
  advice: 'Offsets need a stable order; sort by a unique key.',
  scope: 'list',
  observe: ({ snapshots }) => {
    const snapshot = snapshots.at(0);
    const [one, other] = [{ count: true }, {}].map((first) =>
      snapshot.pages().find(({ target }) => target === snapshot.targetOf(first)),
    );
    if (one === undefined || other === undefined || one.itemCount === 0) return null;
    const exchanges = [one.exchange, other.exchange];
    if (sameOrder(one, other)) return { value: 'the same order each time', exchanges };
    const value =
      one.itemCount === other.itemCount && othersIn(other, one) === 0
        ? 'another order without $count than with it'
        : 'other records without $count than with it: the order or the data changed';
    return { value, exchanges };
  },
});

function sameOrder(one: Page, other: Page): boolean {
  const length = Math.min(one.itemCount, other.itemCount);
  return sameIdentities(one.identities.subarray(0, length), other.identities.subarray(0, length));
}
