import type { ObservationResult, RequirementResult, TargetResult } from '../core/results.ts';
import { outcomeOf } from '../core/verdict.ts';
import type { Session } from './session.ts';

/** The result of a target from its verdicts and observations; the traffic is that of the session so far. */
export function targetResult(
  session: Session,
  parts: {
    readonly records: TargetResult['records'];
    readonly requirements: readonly RequirementResult[];
    readonly observations: readonly ObservationResult[];
  },
): TargetResult {
  const { name, authUrl, baseUrl, file, product } = session.target;
  const { records, requirements, observations } = parts;
  return {
    name,
    authUrl,
    baseUrl,
    ...(file === null ? {} : { file }),
    ...(product === null ? {} : { product }),
    outcome: outcomeOf(requirements),
    records,
    requirements,
    observations,
    traffic: session.traffic(),
  };
}
