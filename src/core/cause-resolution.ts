import { type Cause, type CauseKind, contradictsItself, verdictOf } from './cause.ts';
import { contradictedReason, replacedReason, reportedResult, withReason } from './cause-sentences.ts';
import { isRequirementId } from './requirement-id.ts';
import type { JudgedResult, RequirementResult } from './results.ts';

/**
 * The results of a target with the causes that remain once all of them are judged ({@link resolveCause}). A requirement that
 * blocks another one never passes.
 */
export function resolveCauses(judged: readonly JudgedResult[]): readonly RequirementResult[] {
  const pairs = judged.map(
    (one): Pair => contradictedPass(one, judged) ?? { judged: one, result: withReason(one) },
  );
  const all = pairs.map((pair) => pair.judged);
  return pairs.map((pair) => {
    const { verdict, cause } = resolveCause(pair.judged, all);
    if (cause === null || cause === pair.judged.cause) return pair.result;
    const source = pairs.find((one) => one !== pair && one.judged.cause === cause);
    const reason = source?.result.reason ?? replacedReason(cause, pair.judged);
    return reportedResult({ ...pair.judged, verdict, cause }, reason);
  });
}

interface Pair {
  readonly judged: JudgedResult;
  readonly result: RequirementResult;
}

/** The result of a requirement that passed and blocks another one; null for any other. */
function contradictedPass(passed: JudgedResult, all: readonly JudgedResult[]): Pair | null {
  const blocked = all.find((one) => isContradicted(passed, one));
  if (blocked === undefined) return null;
  const hasChanged = all.some(
    ({ cause, resource }) => cause?.kind === 'changing' && resource === passed.resource,
  );
  const cause: Cause = hasChanged ? { kind: 'changing' } : { kind: 'intermittent', seen: 1, attempts: 2 };
  const judged = { ...passed, verdict: verdictOf(cause), cause };
  return { judged, result: reportedResult(judged, contradictedReason(blocked, hasChanged)) };
}

/** A verdict with its cause, as input for {@link resolveCause}. */
type Judged = Pick<JudgedResult, 'id' | 'resource' | 'verdict' | 'cause'>;

/** Kinds of causes that are also those of the requirements which the result blocks: no breach of it was seen. */
const PASSED_ON: readonly CauseKind[] = ['blocked', 'changing', 'unavailable', 'limit', 'interrupted'];

/**
 * The final verdict and cause once all requirements of a target have verdicts. In a chain of blocked requirements
 * the first one is the cause; in a circle, a failure of the same list. If the blocking requirement has an error, so
 * has this one. If a list has the data that a `data` cause misses, there is another cause. No blocking requirement is
 * a `pass` ({@link isContradicted}).
 */
function resolveCause(result: Judged, all: readonly Judged[]): Pick<Judged, 'verdict' | 'cause'> {
  let { verdict, cause } = result;
  if (cause !== null && contradictsItself(cause)) cause = hiddenCause(result, all);
  const visited = new Set<string>([result.id]);
  while (cause?.kind === 'blocked') {
    const { by } = cause;
    if (visited.has(by)) {
      cause = blockingFailure(result, all) ?? cause;
      break;
    }
    visited.add(by);
    const verdicts = all.filter((one) => one.id === by && isAbout(one, result));
    const [blocking] = verdicts;
    if (blocking === undefined || verdicts.some((one) => one.verdict !== blocking.verdict)) break;
    if (blocking.verdict === 'error') {
      ({ verdict, cause } = blocking);
    } else if (blocking.cause !== null && PASSED_ON.includes(blocking.cause.kind)) {
      cause = blocking.cause;
    } else break;
  }
  return { verdict, cause };
}

/**
 * The cause if nothing was exercised although the list has the data: a failure or an outage of it or of the token
 * endpoint, a mistake in what the target file says of the list, or changing data.
 */
function hiddenCause(result: Judged, all: readonly Judged[]): Cause {
  const causes = all.filter((one) => isAbout(one, result)).map(({ cause }) => cause);
  const outage = causes.find((cause) => cause?.kind === 'unavailable');
  const mistake = causes.find(
    (cause) => cause?.kind === 'configuration' && cause.key.startsWith('resources'),
  );
  return blockingFailure(result, all) ?? outage ?? mistake ?? { kind: 'changing' };
}

/** A failed requirement of the same list as the blocking cause; null if none failed. */
function blockingFailure(result: Judged, all: readonly Judged[]): Cause | null {
  const failures = all.filter((one) => one.verdict === 'fail' && isAbout(one, result));
  for (const { id, resource } of failures)
    if (id !== result.id && isRequirementId(id)) return { kind: 'blocked', by: id, resource };
  return null;
}

/** Whether a requirement passed although the other result is blocked by a breach of it: then it was seen broken once. */
function isContradicted(passed: Judged, blocked: Judged): boolean {
  return (
    passed.verdict === 'pass' &&
    blocked.cause?.kind === 'blocked' &&
    blocked.cause.by === passed.id &&
    isAbout(passed, { ...blocked, resource: blocked.cause.resource ?? blocked.resource })
  );
}

function isAbout(one: Judged, { resource }: Judged): boolean {
  return one.resource === null || resource === null || one.resource === resource;
}
