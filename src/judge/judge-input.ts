import type { HttpRequest } from '../core/exchange.ts';
import type { ListClient } from '../provider/list-client.ts';
import type { Snapshot, Snapshots } from '../provider/snapshot.ts';
import type { TokenClient } from '../provider/token-client.ts';
import type { Check } from './check.ts';
import type { TestedList } from './context.ts';

/** A check or an observation that sends requests and uses evidence. */
export interface Requester {
  /** Runs work: all that it sends and uses, even later, counts for this requester. */
  run<Result>(work: () => Result): Result;
  /** How many requests were sent for it so far; waits for the last of them. */
  requests(): Promise<number>;
  /** Milliseconds during which at least one of those requests was in progress; waits for the last of them. */
  requestMs(): Promise<number>;
}

/** The answers of a list so far, for checks that send nothing: a further request throws. */
export interface OfflineAnswers {
  readonly tokens: TokenClient;
  readonly list: ListClient;
  readonly snapshot: Snapshot;
}

/** What the judge needs to test one list of one target. */
export interface JudgeInput extends TestedList {
  readonly snapshots: Snapshots;
  /** Whether checks are judged again because the data changed: then without the stateful model. */
  readonly isSecondAttempt?: true;
  /** Further snapshots of the list, for a check that is judged again. */
  newSnapshots(): Snapshots;
  /** All checks of the run, for the oracles that they state. */
  readonly checks: readonly Check[];
  /** The exchange of that number, to build a curl line from. */
  exchange(number: number): { readonly request: HttpRequest } | null;
  /** Whether any request to that origin was answered so far, with any status. */
  hasAnswered(origin: string): boolean;
  /** A copy of the answers so far. */
  offline(): OfflineAnswers;
  /** A new requester for the check or the observation of that identifier. */
  requester(id: string): Requester;
}
