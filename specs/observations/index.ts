import { composeObservers, type Observer } from '../../src/judge/observe.ts';
import { CALLS_AFTER_REFUSALS, listCallObservers } from './list-calls.ts';
import { listObservers } from './lists.ts';
import { refusalObservers } from './refusals.ts';
import { tokenRequestObservers } from './token-requests.ts';
import { tokenObservers } from './tokens.ts';
import { trafficObservers } from './traffic.ts';

/** What the specification leaves open, as far as a run shows it. Nothing here ever fails a provider. */
export const observers: readonly Observer[] = composeObservers([
  ...tokenObservers,
  ...tokenRequestObservers,
  ...refusalObservers,
  ...listObservers,
  ...listCallObservers,
  ...trafficObservers,
]);

/** Requests for each list that depend on what the provider does where the specification leaves it open, at most. */
export const MOST_FURTHER_REQUESTS = CALLS_AFTER_REFUSALS;
