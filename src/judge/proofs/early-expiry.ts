import type { Exchange } from '../../core/exchange.ts';
import { groupBy } from '../../core/maps.ts';
import { unavailable } from '../../core/undecided.ts';
import { hasFurtherParameters, hasUnspecifiedPageSize } from '../../provider/link.ts';
import { isOfGateway, isServerError } from '../../provider/throttled-answer.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import { type EarlyExpiry, isCertainlyValid, VALIDITY_SECONDS } from '../../provider/token-history.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { errorOf } from '../outcomes.ts';
import { sizedQuery } from '../probes/drawn-query.ts';
import { refusesCaller } from '../probes/expected-page.ts';
import { callAndRead, Disturbed, tryUndisturbed } from '../probes/valid-token-calls.ts';
import { Violation } from '../violation.ts';
import { causeOfOtherUser, endsOlderToken, tryWithSecondClient } from './other-users.ts';
import { LIMIT_MS, MAX_UNUSED_MS, ROUNDS, refusedBetween, tryTokenPairs } from './token-pair-trial.ts';

/** Longest wait, in milliseconds, until a token reaches the age at which another one was refused. */
const MAX_WAIT_MS = 900_000;
/** Longest wait, in milliseconds, until that age if a later token request may have ended the token. */
const MAX_EXPLAINED_WAIT_MS = 120_000;
/** List calls with one token at most, to find out whether tokens end after a number of calls. */
const MAX_USES = 200;
/** Calls with an unspecified page size among them at most. */
const MAX_UNUSUAL = 3;
/** Smallest number of uses that counts as a pattern if several tokens end after the same number. */
const MIN_LIMIT = 10;
/** Fractions of the age at which another token ended. The token of the trial is used at these ages. */
const STEPS = [0.5, 0.75, 1];
/** Milliseconds beyond the age at which other tokens ended. */
const MARGIN_MS = 100;
/**
 * Factor by which the token of the trial becomes older than the refused tokens, and is used more often: lifetimes vary.
 */
const SAFETY_FACTOR = 1.25;

/**
 * Expects that no valid token of the run was refused while a newer one was accepted (5.3, 8). Confirms a refusal with
 * another token that reaches the same age and number of uses without any other token request: then neither a later
 * token request nor a probe explains the refusal. A refusal that does not repeat, such as after a restart of the
 * provider, is only reported by observe/token-reuse. Throws Violation.
 */
export async function expectNoEarlyExpiry(context: CheckContext): Promise<void> {
  await useFirstToken(context);
  // A server error says nothing about the token.
  const endings = context.tokens.history.endings.filter(({ refused }) => !isServerError(refused));
  const unexplained = endings.filter((one) => one.isUnexplained);
  const candidates = unexplained.length > 0 ? unexplained : endings;
  const longest = unexplained.length > 0 ? MAX_WAIT_MS : MAX_EXPLAINED_WAIT_MS;
  const seen = candidates.filter(({ ageMs }) => ageMs <= longest);
  const [first] = seen;
  if (first === undefined) return;
  const most = Math.max(...seen.map(({ uses }) => uses));
  const usual = seen.flatMap((one) => one.targets).filter((target) => !hasUnspecifiedPageSize(target));
  // The refused call itself may have ended the token; the next call shows it.
  const lastOnes = seen.flatMap((one) => one.targets.at(-1) ?? []).filter(hasUnspecifiedPageSize);
  const unusual = [...new Set(lastOnes)]
    .slice(0, MAX_UNUSUAL)
    .flatMap((target) => [target, context.list.path]);
  const targets = [...[...new Set(usual)].slice(0, MAX_USES), ...unusual];
  const usesByAge = Math.min(MAX_USES, Math.ceil(most * SAFETY_FACTOR));
  const byAge: Trial = { first, uses: usesByAge, targets, agesMs: agesOf(seen) };
  const uses = commonUses(endings);
  // A token that ends after a number of uses need not grow old.
  const byUses = uses === null ? [] : [{ first, uses: uses + 1, targets: first.targets, agesMs: [] }];
  const trials: readonly Trial[] = [...byUses, byAge];
  const ages = seen.map((one) => one.ageMs);
  // First, because other checks use older tokens, which may be what ends the token of another trial.
  await tryUndisturbed(context, () => tryTokenPairs(context, sentenceOf(first), Math.max(...ages)));
  const ofAge = await errorOf(async () => {
    for (const trial of trials) await tryUndisturbed(context, () => tryAgain(context, trial));
  });
  if (ofAge instanceof Violation && (await endsOlderToken(context)))
    throw causeOfOtherUser(sentenceOf(first));
  if (ofAge !== null) throw ofAge;
  if (context.target.otherCredentials === null) return;
  const ageMs = Math.min(...ages) * SAFETY_FACTOR + MARGIN_MS;
  await tryUndisturbed(context, () => tryWithSecondClient(context, sentenceOf(first), ageMs));
}

/** The trial of a further token. */
interface Trial {
  readonly first: EarlyExpiry;
  /** How often the token is used at least. */
  readonly uses: number;
  /** The request targets of these uses, one of which may have ended other tokens. */
  readonly targets: readonly string[];
  /** Ages at which the token is used, ascending. */
  readonly agesMs: readonly number[];
}

/** The number of uses after which several tokens ended, more than after any other; null if there is none. */
function commonUses(endings: readonly EarlyExpiry[]): number | null {
  const limits = endings.map(({ uses }) => uses).filter((uses) => uses >= MIN_LIMIT && uses < MAX_USES);
  const groups = [...groupBy(limits, (uses) => uses).values()];
  const [most] = groups.toSorted((one, other) => other.length - one.length);
  return most === undefined || most.length < 2 ? null : most[0];
}

/**
 * The ages at which to use another token: on the way to the earliest end, to measure it, beyond the earliest and
 * the latest, and after it was unused for as long as the oldest was old.
 */
function agesOf(seen: readonly EarlyExpiry[]): readonly number[] {
  const ages = seen.map(({ ageMs }) => ageMs);
  const earliest = Math.min(...ages);
  const oldest = Math.max(...ages) * SAFETY_FACTOR + MARGIN_MS;
  return [
    ...STEPS.map((part) => part * earliest),
    earliest * SAFETY_FACTOR + MARGIN_MS,
    oldest,
    oldest + Math.min(MAX_UNUSED_MS, Math.max(...ages) * SAFETY_FACTOR),
  ];
}

/** Uses the first token of the run, which may have ended although no call has carried it for some time. */
async function useFirstToken(context: CheckContext): Promise<void> {
  const { tokens, list } = context;
  // A valid request before it may have been refused.
  const token = tokens.history.answersToValidRequests().find((one) => one.token !== null)?.token ?? null;
  if (token === null || tokens.history.endings.length > 0 || !list.history.wasAccepted) return;
  const target = list.path + sizedQuery(context, 'first token');
  const exchange = await callAndRead(context, token, { target });
  if (exchange.answer?.status !== 401) return;
  // The newest token of the run may have ended as well.
  const fresh = await tokens.requestUnshared();
  const newer = await list.call({ authorization: `Bearer ${fresh.token}` });
  if (newer.answer?.status === 200) tokens.history.noteEarlyExpiry(token, exchange, false);
}

/** The calls with another token. */
interface TokenUse {
  readonly issued: TokenAnswer;
  /** The request target of the last calls. */
  readonly target: string;
  readonly used: number;
  /** The call before the first one that was refused; null if there was none. */
  readonly before: Exchange | null;
  /** The last call that was accepted; null if none was. */
  readonly accepted: Exchange | null;
  /** The last two calls, which are the same. */
  readonly last: Exchange;
  readonly again: Exchange;
}

/** Throws Violation if another token ends as well; Disturbed as {@link useAnotherToken} does. */
async function tryAgain(context: CheckContext, trial: Trial): Promise<void> {
  const { tokens, list } = context;
  const { first } = trial;
  const ended = first.refused.answer?.status;
  const { issued, target, used, before, accepted, last, again } = await useAnotherToken(context, trial);
  if (last.answer?.status !== ended || again.answer?.status !== ended) return;
  const ageOf = (exchange: Exchange): number => exchange.startedAt - issued.requestedAt;
  const wasValidFor = (exchange: Exchange): boolean => {
    const ageMs = ageOf(exchange) + exchange.durationMs;
    const { clockRate } = context.target.expiry;
    return isCertainlyValid({ expiresIn: VALIDITY_SECONDS, ageMs, clockRate });
  };
  if (!wasValidFor(again)) return;
  const fresh = await tokens.requestUnshared();
  const callWith = (token: string | null): Promise<Exchange> =>
    list.call({ authorization: `Bearer ${token}`, target });
  const control = await callWith(fresh.token);
  // The repeated call may be refused because of its parameters.
  const isRefused = control.answer === null || control.answer.status >= 500 || refusesCaller(control.answer);
  if (isRefused || control.answer?.status === ended) return;
  // A provider may limit the calls with each token, for any time.
  if (ended === 403)
    throw unavailable(
      403,
      `${sentenceOf(first)}; so was a second token after ${used} list calls, as by a limit of calls for each token`,
    );
  // The calls of other checks may have used up a limit that is answered 401.
  const callWithNewToken = async (): Promise<Exchange> => callWith((await tokens.requestUnshared()).token);
  const later = await refusedBetween(context, ended, () => callWith(issued.token), callWithNewToken);
  if (later === null || !wasValidFor(later.refused)) return;
  context.exercised();
  const lasted = accepted === null ? '' : `was accepted ${seconds(ageOf(accepted))} after it was issued and `;
  throw new Violation({
    message:
      `${sentenceOf(first)}; a second token ${lasted}was refused after ${seconds(ageOf(last))} and ` +
      `${used} list calls, ${whatEndedIt(before)}with no other token request in between` +
      `, and again ${seconds(limitMs(ended))} later and ${ROUNDS} times after that, each time between two calls with a new ` +
      'token, which were accepted',
    expected: `accepted for ${VALIDITY_SECONDS} seconds`,
    actual: `status ${ended}`,
    counterexample: { ageSeconds: Math.round(ageOf(last) / 100) / 10, uses: used },
    exchanges: [last, issued, again, later.refused, later.accepted, first.refused],
  });
}

/**
 * Requests a token and uses it at the ages of a trial, then as often as the trial says. Throws Disturbed if it is not
 * accepted at first, or if the run requested another token or the provider was not available in the meantime.
 */
async function useAnotherToken(
  context: CheckContext,
  { first, uses, targets, agesMs }: Trial,
): Promise<TokenUse> {
  const { tokens, list, clock } = context;
  const ended = first.refused.answer?.status;
  const isEnded = ({ answer }: Exchange): boolean => answer?.status === ended;
  const issued = await tokens.requestUnshared();
  if (issued.token === null) throw new Disturbed();
  const requestsBefore = tokens.history.requests.begun;
  const authorization = `Bearer ${issued.token}`;
  let used = 0;
  let accepted: Exchange | null = null;
  let before: Exchange | null = null;
  const callList = async (target: string): Promise<Exchange> => {
    const exchange = await list.call({ authorization, target });
    // Tokens may be lost in an outage, such as one after which a repeated call is refused.
    const isOfOutage = isUnavailable(exchange) || (isEnded(exchange) && exchange.retry > 0);
    if (isOfOutage && !hasUnspecifiedPageSize(target)) throw new Disturbed();
    if (!isEnded(exchange)) before = exchange;
    if (exchange.answer?.status === 200) accepted = exchange;
    // That of another list is not read.
    else list.readAndNote(exchange);
    used += 1;
    return exchange;
  };
  // The call that was refused: a token may end for some calls only.
  let usual = first.refused.request.target;
  if (hasUnspecifiedPageSize(usual)) usual = list.path;
  let last = await callList(usual);
  if (last.answer?.status !== 200) {
    // A link may be bound to its token.
    usual = list.path;
    last = await callList(usual);
  }
  if (last.answer?.status !== 200) throw new Disturbed();
  for (const ageMs of agesMs) {
    if (last.answer?.status !== 200) break;
    await waitFor(issued.answeredAt + ageMs - clock.now(), context);
    last = await callList(usual);
  }
  let target = usual;
  // So its age is not the reason, but perhaps the number of its uses, or one of these uses.
  for (let number = 0; (used < uses || number < targets.length) && !isEnded(last); number++) {
    target = targets[number] ?? usual;
    last = await callList(target);
    if (!isEnded(last) || target === usual || !hasFurtherParameters(target)) continue;
    // It may be a link that is bound to another token.
    target = usual;
    last = await callList(target);
  }
  // The last of these uses may have ended it.
  if (last.answer?.status === 200) last = await callList(target);
  if (isEnded(last)) await waitFor(limitMs(ended), context);
  const again = await callList(target);
  if (tokens.history.requests.begun !== requestsBefore) throw new Disturbed();
  return { issued, target, used, before, accepted, last, again };
}

/** The call before a token was refused, as part of a sentence, if that call was answered with another status than 200. */
function whatEndedIt(before: Exchange | null): string {
  const status = before?.answer?.status;
  return status === undefined || status === 200
    ? ''
    : `right after GET ${before?.request.target} was answered ${status}, `;
}

/** Whether a gateway answered for the provider, or nobody did. */
function isUnavailable({ answer }: Exchange): boolean {
  return answer === null || isOfGateway(answer.status);
}

function limitMs(ended: number | undefined): number {
  return ended === 401 ? LIMIT_MS.unauthorized : LIMIT_MS.other;
}

function sentenceOf({ ageMs, uses, expiresIn, refused }: EarlyExpiry): string {
  return (
    `a token with expires_in ${expiresIn} was refused for GET ${refused.request.target} ` +
    `(status ${refused.answer?.status}) ` +
    `${seconds(ageMs)} after it was issued, after ${uses} list calls, ` +
    'and a newer one was accepted right after'
  );
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}
