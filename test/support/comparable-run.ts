import type { Results } from '../../src/core/results.ts';

/**
 * The parts of a run that are equal in two runs of the same targets: everything except times and the order of
 * requests.
 */
export function essence({ outcome, run, targets }: Results) {
  return {
    outcome,
    suite: run.suite,
    seed: run.seed,
    complete: run.complete,
    targets: targets.map((target) => ({
      name: target.name,
      outcome: target.outcome,
      records: target.records,
      requests: target.traffic.requests,
      requirements: target.requirements.map(({ id, resource, verdict, reason, cases, violations }) => ({
        id,
        resource,
        verdict,
        reason,
        cases,
        violations: violations.map(({ message, counterexample }) => ({ message, counterexample })),
      })),
      observations: target.observations
        .filter(({ id }) => id !== 'observe/latency')
        .map(({ id, attention }) => ({ id, attention })),
    })),
  };
}
