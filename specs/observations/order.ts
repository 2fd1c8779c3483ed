import { observation } from '../../src/judge/observation.ts';
import { sameIdentities } from '../../src/provider/identity.ts';
import type { Page } from '../../src/provider/page.ts';

export const order = observation({
  id: 'observe/order',
  clause: ['4.3'],
  of: 'Whether a repeated request returns the records in the same order.',
  advice: 'Offsets need a stable order; sort by a unique key.',
  scope: 'list',
  asks: false,
  observe: ({ snapshots }) => {
    const snapshot = snapshots.at(0);
    const [one, other] = [{ count: true }, {}].map((first) =>
      snapshot.pages().find(({ target }) => target === snapshot.targetOf(first)),
    );
    if (one === undefined || other === undefined || one.itemCount === 0) return null;
    return {
      value: sameOrder(one, other) ? 'the same order each time' : 'another order from one answer to the next',
      exchanges: [one.exchange, other.exchange],
    };
  },
});

function sameOrder(one: Page, other: Page): boolean {
  const length = Math.min(one.itemCount, other.itemCount);
  return sameIdentities(one.identities.subarray(0, length), other.identities.subarray(0, length));
}
