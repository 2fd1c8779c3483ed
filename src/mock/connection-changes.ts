import { type Change, type ReceivedRequest, withState } from './pipeline.ts';

type WorkerOf = (request: ReceivedRequest) => number;

/** A change of some of several workers, over which connections are distributed in turn, as by a load balancer. */
export function amongWorkers(workers: number, change: (workerOf: WorkerOf) => Change): Change {
  return withState(WeakMap<object, number>, (known) => {
    let connections = 0;
    return change(({ connection }) => {
      const worker = known.get(connection) ?? connections++ % workers;
      known.set(connection, worker);
      return worker;
    });
  });
}
