import { type Cause, isAboutRecords, LIMITS_WITHOUT_KEY, reportedCause } from './cause.ts';
import { withCommas } from './number-format.ts';
import type { JudgedResult, RequirementResult } from './results.ts';

/**
 * Sentences for causes. This is the only place that creates them, and no code parses them. They may contain text of
 * a user or a provider: escape them for output.
 */

/** Why a verdict was not given, as a clause without a full stop. */
export function causeSentence(cause: Cause): string {
  switch (cause.kind) {
    case 'blocked':
      return `blocked by ${cause.by}${cause.resource === null ? '' : ` of ${cause.resource}`}`;
    case 'data':
      return `needs ${cause.needs}${cause.records === null ? '' : `; the list holds ${recordsIn(cause.records)}`}`;
    case 'intermittent':
      return cause.seen === cause.attempts
        ? `a different breach in each of ${cause.attempts} attempts, so none is confirmed`
        : `intermittent: seen in ${cause.seen} of ${cause.attempts} attempts, so it does not count against the provider`;
    case 'changing':
      return 'the data or the tokens changed during the test, or servers of the provider disagree';
    case 'unavailable':
      return cause.status === null
        ? 'no complete answer arrived'
        : `the provider was not available (status ${cause.status})`;
    case 'limit':
      return `stopped by a limit of the run (${limitKey(cause.limit)})`;
    case 'configuration':
      return `configuration error (${cause.key})`;
    case 'unselected':
      return 'not selected';
    case 'unconfigured':
      return cause.key.startsWith('--')
        ? `needs the option ${cause.key}`
        : `needs ${cause.key} in the target file`;
    case 'interrupted':
      return 'the run was interrupted';
    case 'harness':
      return 'Assay failed at this check';
  }
}

export function reasonOf(cause: Cause, detail: string): string {
  const sentence = causeSentence(cause);
  return detail === '' ? sentence : `${sentence}: ${detail}`;
}

export function withReason(judged: JudgedResult): RequirementResult {
  const { cause, detail } = judged;
  const reason = cause === null ? detail : reasonOf(cause, detail);
  return reportedResult(judged, reason === '' ? null : reason);
}

/** A result as it is reported, with a reason other than that of its cause and detail. */
export function reportedResult(judged: JudgedResult, reason: string | null): RequirementResult {
  const { id, resource, clause, rule, verdict, cause, detail, ...others } = judged;
  return { id, resource, clause, rule, verdict, reason, cause: reportedCause(cause), ...others };
}

/**
 * The reason for a cause that replaces the one of this result. If the list holds the records that it was said to need, the
 * reason names them instead of the detail.
 */
export function replacedReason(cause: Cause, replaced: JudgedResult): string {
  const records = replaced.cause?.kind === 'data' ? replaced.cause.records : null;
  return reasonOf(
    cause,
    records === null
      ? replaced.detail
      : `its calls did not give the records that it needs, although the list holds ${recordsIn(records)}`,
  );
}

/** The reason of a requirement that passed and blocks this one. Its own test saw nothing intermittent, so it does not say so. */
export function contradictedReason({ id, detail }: JudgedResult, hasChanged: boolean): string {
  const finding = hasChanged
    ? `passed its own test, but the data changed during that of ${id}`
    : `passed its own test, but the test of ${id} saw a breach of it`;
  return detail === '' ? finding : `${finding}: ${detail}`;
}

/** How to resolve a verdict that was not given; null if there is nothing to do. */
export function resolution(cause: Cause): string | null {
  switch (cause.kind) {
    case 'blocked':
      return `Fix ${cause.by} and rerun: it may hide other failures.`;
    case 'data':
      return isAboutRecords(cause.needs) ? `Run against ${cause.needs}.` : `Rerun with ${cause.needs}.`;
    case 'intermittent':
      return 'Rerun when the provider is stable, or report the breach to its operator: it occurred in some attempts only.';
    case 'changing':
      return 'Rerun when the data does not change, and no other client requests tokens with these credentials.';
    case 'unavailable':
      return cause.status === 429
        ? 'Rerun later or with a lower --rate, or ask the provider for a higher limit.'
        : 'Rerun when the provider is available. assay doctor TARGET checks whether it answers.';
    case 'limit':
      return limitResolution(cause.limit);
    case 'configuration':
      // assay doctor runs no custom checks.
      return cause.key === 'checks'
        ? 'Correct the custom check and rerun.'
        : `Correct ${cause.key} and rerun. assay doctor TARGET checks it.`;
    case 'unselected':
      return null;
    case 'unconfigured':
      return cause.key.startsWith('--')
        ? `Rerun with ${cause.key}.`
        : `Add ${cause.key} to the target file and rerun.`;
    case 'interrupted':
      return 'Rerun without interrupting it.';
    case 'harness':
      return 'Rerun with ASSAY_DEBUG=1 and report the stack trace.';
  }
}

/** A short name of a cause for tables: `blocked by link/offset`. */
export function causeLabel(cause: Cause): string {
  switch (cause.kind) {
    case 'blocked':
      return `blocked by ${cause.by}`;
    case 'intermittent':
      return `intermittent (${cause.seen} of ${cause.attempts})`;
    case 'unavailable':
      return cause.status === null ? 'unavailable' : `unavailable (${cause.status})`;
    case 'limit':
      return `limit (${limitKey(cause.limit)})`;
    case 'configuration':
    case 'unconfigured':
      return `${cause.kind} (${cause.key})`;
    default:
      return cause.kind;
  }
}

function limitResolution(limit: string): string {
  if (limit === 'expiry.clockRate') return 'Lower expiry.clockRate in the target file and rerun.';
  if (Object.values<string>(LIMITS_WITHOUT_KEY).includes(limit))
    return 'Fix the links and the count of the list, and rerun.';
  return `Raise ${limitKey(limit)} in the target file and rerun.`;
}

function limitKey(limit: string): string {
  return limit.startsWith('max') ? `limits.${limit}` : limit;
}

function recordsIn(records: number): string {
  return records === 1 ? '1 record' : `${withCommas(records)} records`;
}
