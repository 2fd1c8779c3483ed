import { type Cause, contradictsItself, type JudgedCause } from '../core/cause.ts';
import { mapStrings } from '../core/json-text.ts';
import type { AppliedWaiver, Json, JudgedResult, ViolationRecord } from '../core/results.ts';
import { messageOf } from '../core/system-error.ts';
import { globPattern } from '../core/text.ts';
import { Undecided } from '../core/undecided.ts';
import type { Verdict } from '../core/verdict.ts';
import { CUT } from '../evidence/redaction/secret-forms.ts';
import { failureDiagnosis } from '../provider/failure-diagnosis.ts';
import { hasOneCount } from '../provider/page-log.ts';
import { NoAnswer } from '../provider/sender.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { Target } from '../target/target.ts';
import type { Check, JudgeInput, Requester } from './check.ts';
import { curlCommand, curlCommands, curlOnOneConnection, type SentStep } from './curl-command.ts';
import { orNull } from './outcomes.ts';
import { showsEnd } from './probes/list-facts.ts';
import { requestedPageOf } from './probes/requested-page.ts';
import { type Breach, Violation } from './violation.ts';

export interface CheckOutcome {
  readonly verdict: Verdict;
  readonly cause: JudgedCause | null;
  readonly detail: string;
  readonly breaches: readonly Breach[];
}

export const PASSED: CheckOutcome = { verdict: 'pass', cause: null, detail: '', breaches: [] };

/** The result of a check, without secrets. */
export async function resultOf(
  outcome: CheckOutcome,
  { requirement, scope }: Check,
  input: JudgeInput,
  { cases, requester }: { readonly cases: number; readonly requester: Requester },
): Promise<JudgedResult> {
  const { verdict, detail, breaches } = outcome;
  const resource = scope === 'target' ? null : input.list.resource.name;
  const cause = await completeCause(outcome.cause, input, resource);
  return {
    id: requirement.id,
    resource,
    clause: requirement.clause,
    rule: requirement.rule,
    verdict,
    cause,
    detail: printable(detail, input),
    waiver: verdict === 'fail' ? waiverFor(requirement.id, input.target, new Date(input.clock.now())) : null,
    violations: breaches.map((breach) => recordOf(breach, input)),
    cases,
    requests: await requester.requests(),
    durationMs: Math.round(await requester.requestMs()),
  };
}

/** Adds what a check does not know: the list that the cause is about, and how many records it holds. */
async function completeCause(
  cause: JudgedCause | null,
  { list, snapshots }: JudgeInput,
  resource: string | null,
): Promise<JudgedCause | null> {
  if (cause?.kind === 'blocked')
    return { ...cause, resource: cause.by.startsWith('token/') ? null : list.resource.name };
  if (cause?.kind !== 'data' || (cause.records === null && resource === null)) return cause;
  const snapshot = snapshots.at(0);
  const seen = await recordsSeen(snapshot);
  const { records, isWhole } = cause.records === null ? seen : { records: cause.records, isWhole: true };
  // A list may have grown since, or give no records without parameters although its count says that there are some.
  const usesCount = records === 0 || !hasOneCount(snapshot.client.pages);
  const counted = usesCount ? lastCount(snapshot) : 0;
  const completed = { ...cause, records: records === null ? null : Math.max(records, counted) };
  return isWhole || contradictsItself(completed) ? completed : cause;
}

/** The last count of the run; 0 if it saw none. */
function lastCount({ client }: Snapshot): number {
  const { counts } = client.pages;
  return Number.isSafeInteger(counts?.last) ? (counts?.last ?? 0) : 0;
}

/**
 * Records that the list is known to hold: those of the main traversal, or those up to the end of the furthest page; null if no
 * page was read. `isWhole` is false if neither that page nor a count shows that no records follow.
 */
async function recordsSeen(
  snapshot: Snapshot,
): Promise<{ readonly records: number | null; readonly isWhole: boolean }> {
  const traversal = await orNull(snapshot.startedTraversal());
  const last = traversal?.steps.at(-1);
  if (traversal != null && last !== undefined) {
    const isWhole = traversal.end.kind !== 'end' || showsEnd(traversal, snapshot);
    return { records: last.recordsSoFar, isWhole };
  }
  const pages = snapshot.pages();
  const counted = lastCount(snapshot);
  if (counted > 0)
    return { records: Math.max(counted, ...pages.map(({ itemCount }) => itemCount)), isWhole: true };
  const ends = pages
    .flatMap((page) => requestedPageOf(page) ?? [])
    // An empty page behind the first one does not show what is before it.
    .filter(({ page, skip }) => skip === 0 || page.itemCount > 0)
    .map(({ page, skip, size }) => ({
      records: skip + page.itemCount,
      isWhole: size !== null && page.itemCount < size,
    }));
  const [furthest] = ends.toSorted((one, other) => other.records - one.records);
  return furthest ?? { records: null, isWhole: false };
}

/** @param isCustom whether a custom check threw the error, which is then the fault of that check */
export function outcomeOf(error: unknown, input: JudgeInput, isCustom = false): CheckOutcome {
  if (error instanceof Violation)
    return { verdict: 'fail', cause: null, detail: error.message, breaches: error.breaches };
  if (error instanceof Undecided)
    return { verdict: error.verdict, cause: error.cause, detail: error.message, breaches: [] };
  if (error instanceof NoAnswer) {
    const { exchange } = error;
    const hasAnswered = input.hasAnswered(exchange.request.origin);
    const { cause, verdict, sentence } = failureDiagnosis(
      exchange.failure,
      exchange,
      input.target,
      hasAnswered,
    );
    // If the provider never answered, the run could not be carried out.
    const neverAnswered = cause.kind === 'unavailable' && !hasAnswered;
    return { verdict: neverAnswered ? 'error' : verdict, cause, detail: sentence, breaches: [] };
  }
  const stack = process.env['ASSAY_DEBUG'] === '1' && error instanceof Error ? `\n${error.stack}` : '';
  const cause: Cause = isCustom ? { kind: 'configuration', key: 'checks' } : { kind: 'harness' };
  return { verdict: 'error', cause, detail: messageOf(error) + stack, breaches: [] };
}

function recordOf(breach: Breach, input: JudgeInput): ViolationRecord {
  const clean = <Value extends Json>(value: Value): Value =>
    mapStrings(value, (text) => printable(text, input));
  return {
    message: printable(breach.message, input),
    expected: clean(breach.expected ?? null),
    actual: clean(breach.actual ?? null),
    counterexample: clean(breach.counterexample ?? null),
    exchanges: breach.exchanges,
    curl: curlOf(breach, input),
  };
}

function curlOf(breach: Breach, input: JudgeInput): string {
  const { request, exchanges, comparesTwo, sequence, onOneConnection } = breach;
  const { secrets, target } = input;
  if (sequence === undefined) {
    if (comparesTwo === true) {
      const compared = [...new Set(exchanges.slice(0, 2))].toSorted((one, other) => one - other);
      return curlOf({ ...breach, sequence: compared.map((exchange) => ({ exchange, token: null })) }, input);
    }
    const shown = request ?? input.exchange(exchanges[0] ?? 0)?.request;
    return shown === undefined ? '' : curlCommand(shown, secrets, target.tls);
  }
  const steps = sequence.flatMap(({ exchange, token }): SentStep[] => {
    const sent = input.exchange(exchange)?.request;
    return sent === undefined ? [] : [{ request: sent, token }];
  });
  return (onOneConnection === true ? curlOnOneConnection : curlCommands)(steps, secrets, target.tls);
}

/** Characters of a sentence or a value in results; longer ones are cut. */
const MAX_CHARACTERS = 4000;

// Cut after redaction, because half a secret is not recognised. JSON parsers refuse half a surrogate pair.
function printable(text: string, { secrets }: JudgeInput): string {
  const clean = secrets.redactWords(text);
  return clean.length <= MAX_CHARACTERS
    ? clean.toWellFormed()
    : `${clean.slice(0, MAX_CHARACTERS).toWellFormed()}${CUT}`;
}

/** The waiver of a requirement, and whether it is active on that day (UTC); null if there is none. */
export function waiverFor(id: string, target: Target, today: Date): AppliedWaiver | null {
  const waivers = target.waivers
    .filter(({ requirement }) => globPattern(requirement).test(id))
    .map((waiver) => ({ ...waiver, active: today.toISOString().slice(0, 10) <= waiver.until }));
  return waivers.find((waiver) => waiver.active) ?? waivers[0] ?? null;
}
