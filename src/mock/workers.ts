import type { ReceivedRequest } from './pipeline.ts';

/** Distributes connections over workers in turn, as a load balancer does. */
export function workersOf(workers: number): (request: ReceivedRequest) => number {
  const known = new WeakMap<object, number>();
  let connections = 0;
  return ({ connection }) => {
    const worker = known.get(connection) ?? connections++ % workers;
    known.set(connection, worker);
    return worker;
  };
}
