import type { Exchange } from '../../core/exchange.ts';
import { recordCount } from '../../core/number-format.ts';
import type { RequirementId } from '../../core/requirement-id.ts';
import { Blocked, Undecided } from '../../core/undecided.ts';
import {
  type Diagnosis,
  listRefusal,
  sameAnswerDiagnosis,
  tenantDiagnosis,
} from '../../provider/diagnosis.ts';
import { parametersOf } from '../../provider/link.ts';
import type { ListAnswer, NoPage, Page } from '../../provider/page.ts';
import { asksForPassword } from '../../provider/refusal-wording.ts';
import type { FirstPage, Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { orNull } from '../outcomes.ts';
import { callWithToken } from './valid-token-calls.ts';

/** Requests a first page. Throws Blocked by the requirement that an answer without a list breaks. */
export async function expectFirstPage(snapshot: Snapshot, first: FirstPage): Promise<Page> {
  return expectPage(snapshot, await snapshot.first(first), first);
}

/**
 * Returns the page of an answer already received. Throws Blocked like {@link expectFirstPage} if it is none.
 */
export async function expectPage(snapshot: Snapshot, answer: ListAnswer, first: FirstPage): Promise<Page> {
  if (answer.kind === 'page') return answer;
  throw await blockedByMissingPage(snapshot, answer, first);
}

async function blockedByMissingPage(snapshot: Snapshot, answer: NoPage, first: FirstPage): Promise<Blocked> {
  const sentence = `the answer to ${answer.target} is not a list: ${answer.why}`;
  if (answer.kind === 'no-envelope') return new Blocked('list/envelope', sentence);
  const plain = await snapshot.first({});
  const isAboutCaller =
    plain.kind === 'refused' ||
    refusesCaller(answer) ||
    (first.count === false && (await snapshot.first({ count: false })).kind === 'refused');
  return new Blocked(isAboutCaller ? 'authorization/accepted' : requirementBrokenBy(answer), sentence);
}

/** Throws Blocked if an answer without a list has another cause than the page size that was requested. */
export async function expectNoOtherCause(
  snapshot: Snapshot,
  answer: NoPage,
  first: FirstPage,
): Promise<void> {
  if (answer.kind === 'no-envelope') await expectPage(snapshot, answer, first);
  if (snapshot.client.history.hasOtherSuccess(answer)) throw answeredOtherwise(answer);
  const plain = await snapshot.first({});
  if (plain.kind === 'refused')
    throw new Blocked('authorization/accepted', `the list call with a valid token is refused: ${answer.why}`);
  const isAccepted = refusesCaller(answer)
    ? await isAcceptedAgain(snapshot, answer)
    : !(await staysRefused(snapshot, answer));
  if (isAccepted)
    throw new Blocked(
      'authorization/accepted',
      `GET ${answer.target} with a valid token was refused once (${answer.why}), and accepted another time`,
    );
  const { count } = first;
  if (count !== undefined && (await snapshot.first({ count })).kind === 'refused')
    throw new Blocked(
      count ? 'count/present' : 'authorization/accepted',
      `$count=${count} is refused with every page size: ${answer.why}`,
    );
}

/** Whether a call stays refused while the plain list call is accepted: an outage would affect both. */
async function staysRefused({ client }: Snapshot, { target }: NoPage): Promise<boolean> {
  if ((await client.authorized(target)).kind !== 'refused') return false;
  if ((await client.authorized(client.path)).kind === 'refused') return false;
  return (await client.authorized(target)).kind === 'refused';
}

/** Whether a call that was refused with a valid token is accepted, now or, of several such calls, right after. */
async function isAcceptedAgain({ client }: Snapshot, { target }: NoPage): Promise<boolean> {
  if (client.history.refusalsInForce.length > 0) return true;
  const again = await client.authorized(target, { connection: 'new' });
  return again.kind !== 'refused';
}

/**
 * Throws Blocked if $pagesize has no effect: then small sizes give too many records and large ones too few, and
 * page-size/limit reports it. The smoke suite does not test this.
 *
 * @param itemCount records on a page that holds fewer than were requested
 */
export async function expectSizeToHaveEffect(
  { options, snapshot }: CheckContext,
  itemCount: number,
): Promise<void> {
  if (itemCount <= 1) return;
  const single: ListAnswer = await snapshot.first({ count: true, pageSize: 1 });
  if (single.kind === 'page' && single.itemCount === itemCount && options.suite !== 'smoke')
    throw new Blocked('page-size/limit', `$pagesize is ignored: every page holds ${recordCount(itemCount)}`);
}

/** Blocked by the requirement that the answer to the plain list call breaks if it is no page. */
export function blockedByNoPage({ kind }: NoPage, sentence: string): Blocked {
  return new Blocked(kind === 'refused' ? 'authorization/accepted' : 'list/envelope', sentence);
}

/** Blocked by the requirement that a provider breaks if it refuses this list call. */
export function blockedByRefusal(refusal: NoPage): Blocked {
  return new Blocked(requirementBrokenBy(refusal), `${refusal.target} was refused: ${refusal.why}`);
}

/**
 * Blocked by authorization/accepted if calls of the run were refused although their token was accepted right after;
 * null otherwise.
 */
export function refusedWithValidToken(answer: NoPage, { history }: Snapshot['client']): Blocked | null {
  if (history.hasOtherSuccess(answer)) return answeredOtherwise(answer);
  if (!refusesCaller(answer) || history.refusalsInForce.length === 0) return null;
  return new Blocked('authorization/accepted', `${answer.target} was refused: ${answer.why}`);
}

/** Blocked by authorization/accepted for an answer with a status of success other than 200. */
export function answeredOtherwise({ target, status }: NoPage): Blocked {
  return new Blocked('authorization/accepted', `${target} was answered ${status} instead of 200`);
}

/** Whether an answer refuses the caller, not the request. */
export function refusesCaller({ status }: Pick<NoPage, 'status'>): boolean {
  return status === 401 || status === 403;
}

function requirementBrokenBy({ target, status }: NoPage): RequirementId {
  if (refusesCaller({ status })) return 'authorization/accepted';
  if (target.split('?')[1]?.includes('%24') === true) return 'page-size/encoded-name';
  const parameters = parametersOf(target);
  const names = new Set(parameters.map(({ name }) => name));
  if (names.has('$skip')) return 'traversal/by-parameters';
  if (names.has('$pagesize')) return 'page-size/filled';
  const isCounted = parameters.some(({ name, value }) => name === '$count' && value !== 'false');
  return isCounted ? 'count/present' : 'authorization/accepted';
}

/**
 * Throws Undecided if no call gave a list and the target file may be wrong. Either the answer is an error about the tenant.
 * Or a path that does not exist is answered in the same way, so that baseUrl leads to something other than the API.
 */
export async function expectNoOtherSite(context: CheckContext): Promise<void> {
  const { list, target, snapshot } = context;
  const plain = await snapshot.first({});
  if (list.history.hasGivenPage || plain.kind === 'page') return;
  const answered = await snapshot.exchange(plain.target);
  // A gate may refuse any path, and other refusals are diagnosed by their status.
  if (refusesCaller(plain) || (plain.status >= 400 && listRefusal(answered, target) !== null)) return;
  throwIfMistaken(tenantDiagnosis(answered, target));
  await expectOtherPathsDiffer(context, answered);
}

/**
 * Throws Undecided if a path that does not exist is answered in the same way as the list, unless both are refused for the
 * length of the token.
 */
export async function expectOtherPathsDiffer(context: CheckContext, answered: Exchange): Promise<void> {
  const diagnosis = sameAnswerDiagnosis(answered, await callUnknownPath(context), context.target);
  if (diagnosis === null || (await isRefusedForLength(context, answered))) return;
  throwIfMistaken(diagnosis);
}

/** Whether the list and a path that does not exist are answered alike now, as by a gateway during an outage. */
export async function isAnsweredLikeAnyPath(context: CheckContext): Promise<boolean> {
  const answered = await callWithToken(context);
  return sameAnswerDiagnosis(answered, await callUnknownPath(context), context.target) !== null;
}

function callUnknownPath(context: CheckContext): Promise<Exchange> {
  const { list, random } = context;
  const unknown = `${list.address.basePath}/assay-${random('a path that does not exist').toString(16)}`;
  return callWithToken(context, { target: unknown });
}

/** Throws Undecided for a mistake of the target file. */
export function throwIfMistaken(diagnosis: Diagnosis | null): void {
  if (diagnosis !== null) throw new Undecided(diagnosis.cause, diagnosis.sentence, diagnosis.verdict);
}

/** Characters of the shorter made-up token: no limit of a header refuses it. */
const SHORT_LENGTH = 12;

/** Characters of the shortest token that a limit of a header may refuse: servers read far longer headers than that. */
const LEAST_LENGTH = 1000;

/** Statuses of the client's side that say something else: no valid token, a proxy, or too many requests. */
const STATUSES_OF_OTHER_REASONS = [401, 407, 429];

/**
 * Whether a list call with an issued token is refused for the length of that token. Proof: a made-up token of the same
 * length is refused in the same way, and a short one with 401. That answer also shows that baseUrl leads to an API that
 * asks for tokens.
 */
export async function isRefusedForLength(context: CheckContext, { answer }: Exchange): Promise<boolean> {
  const status = answer?.status ?? 0;
  if (status < 400 || status >= 500 || STATUSES_OF_OTHER_REASONS.includes(status)) return false;
  return (await context.list.memo.once(statusOfLongTokens, context)) === status;
}

/**
 * The status for a made-up token as long as the issued one; null if a short one is not answered 401, or if the issued
 * one is so short that its format may be the reason.
 */
async function statusOfLongTokens({ list, tokens, random }: CheckContext): Promise<number | null> {
  const { length } = await tokens.bearer();
  if (length < LEAST_LENGTH) return null;
  const word = random('made-up token of a length').toString(36).padStart(SHORT_LENGTH, 'assay-');
  const call = (token: string): Promise<Exchange | null> =>
    orNull(list.call({ authorization: `Bearer ${token}` }));
  const short = (await call(word.slice(0, SHORT_LENGTH)))?.answer;
  if (short?.status !== 401 || asksForPassword(short)) return null;
  const long = await call(word.repeat(Math.ceil(length / word.length)).slice(0, length));
  return long?.answer?.status ?? null;
}
