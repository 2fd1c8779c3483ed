import { setTimeout } from 'node:timers/promises';
import type { Answer, ReceivedRequest, Service, Steps } from './pipeline.ts';
import type { Resource } from './scenario/scenario.ts';

/** Changes the steps. State in its closure belongs to one started provider. */
export type Change = (steps: Steps) => Steps;

/** A change of one step: `around` gets the current step and returns the new one. */
export function wrap<Name extends keyof Steps>(
  name: Name,
  around: (inner: Steps[Name]) => Steps[Name],
): Change {
  return (steps) => ({ ...steps, [name]: around(steps[name]) });
}

/** One step, so that it can be called with what it is given. */
type Step<Name extends keyof Steps> = (...given: Parameters<Steps[Name]>) => ReturnType<Steps[Name]>;

type Results = { readonly [Name in keyof Steps]: Awaited<ReturnType<Steps[Name]>> };

/** A change of what one step returns: `change` gets this, awaited, and what the step was given. */
export function rewrite<Name extends keyof Steps>(
  name: Name,
  change: (
    result: Results[Name],
    ...given: Parameters<Steps[Name]>
  ) => Results[Name] | ReturnType<Steps[Name]>,
): Change {
  return wrap(name, (inner) => {
    const step = inner as Step<Name>;
    const changed = (...given: Parameters<Steps[Name]>) => {
      const result = step(...given);
      return result instanceof Promise
        ? result.then((awaited) => change(awaited, ...given))
        : change(result as Results[Name], ...given);
    };
    return changed as Steps[Name];
  });
}

type AnyStep = (...given: readonly unknown[]) => unknown;
type AnySteps = Readonly<Record<string, AnyStep>>;

/** Makes a change in the calls of its steps that `isChanged` selects by what the step is given. */
export function onCalls(isChanged: (...given: readonly unknown[]) => boolean): (change: Change) => Change {
  return (change) => (steps) => {
    const usual = { ...steps } as unknown as AnySteps;
    const chosen = Object.entries(change(steps) as unknown as AnySteps).map(
      ([name, changed]): readonly [string, AnyStep] => {
        const unchanged = usual[name];
        if (unchanged === undefined || unchanged === changed) return [name, changed];
        return [name, (...given) => (isChanged(...given) ? changed : unchanged)(...given)];
      },
    );
    return Object.fromEntries(chosen) as unknown as Steps;
  };
}

/** Several changes as one, the first applied first. */
export function composeChanges(...changes: readonly Change[]): Change {
  return (steps) => changes.reduce((chain, change) => change(chain), steps);
}

/** A change with state of its own, such as a new set, in each started provider. */
export function withState<State>(Kind: new () => State, change: (state: State) => Change): Change {
  return (steps) => change(new Kind())(steps);
}

/** A change that counts from 1, separately for each key, in each started provider. */
export function counting(change: (count: (key?: unknown) => number) => Change): Change {
  return withState(Map<unknown, number>, (counts) =>
    change((key) => {
      const number = (counts.get(key) ?? 0) + 1;
      counts.set(key, number);
      return number;
    }),
  );
}

/** Makes a change in some calls of the steps that it changes, by their number from 1. */
export function onCallNumbers(isChanged: (number: number) => boolean): (change: Change) => Change {
  return (change) => counting((count) => onCalls(() => isChanged(count()))(change));
}

/** Makes a change in every n-th call of each step that it changes. */
export function everyNth(nth: number): (change: Change) => Change {
  return onCallNumbers((number) => number % nth === 0);
}

/** Gives another answer, if `choose` returns one, to requests, before anything else reads them. */
export function answerRequests(
  choose: (request: ReceivedRequest, service: Service) => Answer | undefined,
): Change {
  return wrap('receive', (receive) => async (request, service) => {
    return choose(request, service) ?? receive(request, service);
  });
}

/** Gives another answer, if `choose` returns one, to authorized list calls. */
export function answerListCalls(
  choose: (request: ReceivedRequest, service: Service, resource: Resource) => Answer | undefined,
): Change {
  return wrap('list', (list) => (request, resource, service) => {
    return choose(request, service, resource) ?? list(request, resource, service);
  });
}

/** Milliseconds that work takes which is done once at a time. */
const BUSY_MS = 12;

/** Does work that takes some milliseconds; refuses instead if other work with that key is in progress. */
export async function onceAtATime<Result>(
  busy: Set<string>,
  key: string,
  { refuse, work }: { readonly refuse: () => Result; readonly work: () => Promise<Result> },
): Promise<Result> {
  if (busy.has(key)) return refuse();
  busy.add(key);
  try {
    await setTimeout(BUSY_MS);
    return await work();
  } finally {
    busy.delete(key);
  }
}
