import { resolveCauses } from './cause-sentences.ts';
import type { ObservationResult, RequirementResult, TargetResult, Traffic } from './results.ts';
import { outcomeOf } from './verdict.ts';

/** The state of a target after one of its checks, or after the observations. */
export interface Part {
  /** Null for observations. */
  readonly result: RequirementResult | null;
  readonly records: TargetResult['records'];
  readonly traffic: Traffic;
}

/** One result per requirement and list: the last one that was not skipped. */
function selectResults(results: readonly RequirementResult[]): readonly RequirementResult[] {
  const kept = new Map<string, RequirementResult>();
  for (const result of results) {
    const key = JSON.stringify([result.id, result.resource]);
    if (result.verdict !== 'skipped' || !kept.has(key)) kept.set(key, result);
  }
  return [...kept.values()];
}

/** Combines the results of a target whose checks ran separately; `order` lists the identifiers of the requirements. */
export function combineParts(
  target: Pick<TargetResult, 'name' | 'authUrl' | 'baseUrl' | 'product'>,
  parts: readonly [Part, ...(readonly Part[])],
  observations: readonly ObservationResult[],
  order: readonly string[],
): TargetResult {
  const place = new Map(order.map((id, index) => [id, index]));
  // Custom checks are not in `order` and come last.
  const placeOf = (id: string): number => place.get(id) ?? order.length;
  const requirements = resolveCauses(
    selectResults(parts.flatMap(({ result }) => (result === null ? [] : [result]))).toSorted(
      (one, other) => placeOf(one.id) - placeOf(other.id),
    ),
  );
  const records: { [resource: string]: number | null } = {};
  for (const part of parts)
    for (const [resource, count] of Object.entries(part.records))
      records[resource] = count ?? records[resource] ?? null;
  return {
    name: target.name,
    authUrl: target.authUrl,
    baseUrl: target.baseUrl,
    ...(target.product == null ? {} : { product: target.product }),
    outcome: outcomeOf(
      requirements.map(({ verdict, waiver }) => ({ verdict, waived: waiver?.active === true })),
    ),
    records,
    requirements,
    observations,
    traffic: parts.reduce(
      (most, { traffic }) => (traffic.requests >= most.requests ? traffic : most),
      parts[0].traffic,
    ),
  };
}
