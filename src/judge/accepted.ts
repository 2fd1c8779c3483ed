import type { Exchange } from '../core/exchange.ts';
import { Undecided } from '../core/undecided.ts';
import { listRefusal } from '../provider/diagnosis.ts';
import { isServerError, type RefusalInForce } from '../provider/list-client.ts';
import type { ListAnswer } from '../provider/page.ts';
import type { CheckContext } from './context.ts';
import { Violation } from './findings.ts';
import { confirmServerError } from './outage.ts';

/** authorization/accepted: a list call that carries the token is answered 200 (4.2, 5.1), each time. */
export async function judgeAccepted(context: CheckContext): Promise<void> {
  const { view, list, exercised } = context;
  // Both are on their way at once, and nobody knows which of them is the first use of the token.
  const asking = view.first({ count: true }).catch(() => null);
  const answer = await view.first({});
  const counted = await asking;
  exercised();
  if (counted !== null) await expectNoOtherSuccess(context, counted);
  const refusal = answer.kind === 'refused' ? answer.exchange : (list.firstRefusal?.number ?? null);
  // When no other check asks for tokens any more: a provider may end one when it issues another.
  context.afterOthers(async () => {
    if (refusal !== null) await expectFirstUse(context, answer, refusal);
    if (list.serverError !== null) await expectStillAnswered(context, list.serverError);
    expectInForce(list.refusals);
  });
}

/** Throws Violation where `$count=true` is answered twice with another status of success: a refusal is told by what it asks. */
async function expectNoOtherSuccess({ view }: CheckContext, first: ListAnswer): Promise<void> {
  if (!isOtherSuccess(first)) return;
  const again = await view.client.authorized(first.target);
  if (!isOtherSuccess(again)) return;
  throw new Violation({
    message: `GET ${first.target} with a valid token was answered ${again.status}; it must be answered 200`,
    expected: 200,
    actual: again.status,
    exchanges: [again.exchange, first.exchange],
  });
}

/** Whether an answer is one of success, but not the one that is specified. */
export function isOtherSuccess({ status }: ListAnswer): boolean {
  return status > 200 && status < 300;
}

/** Throws Violation where the first call with a token just issued is refused again, Undecided where it was so once. */
async function expectFirstUse(context: CheckContext, answer: ListAnswer, refusal: number): Promise<void> {
  const { tokens, list, target } = context;
  // Confirmed with a token of its own, at its first use: a later use proves nothing about a token just issued.
  const fresh = await tokens.apart();
  if (fresh.token === null)
    throw new Undecided(
      { kind: 'intermittent', seen: 1, attempts: 2 },
      `a second token request was answered ${fresh.status}`,
    );
  const exchange = await list.call({ authorization: `Bearer ${fresh.token}` });
  const again = list.read(exchange);
  if (again.kind !== 'refused' && answer.kind !== 'refused') return;
  if (again.kind !== 'refused')
    throw new Undecided(
      { kind: 'intermittent', seen: 1, attempts: 2 },
      `answered ${answer.status} once and ${again.status} the next time`,
    );
  const mistake = list.wasOpened ? null : listRefusal(exchange, target);
  if (mistake !== null) throw new Undecided(mistake.cause, mistake.sentence, mistake.verdict);
  await confirmServerError(context, again.status, async () => {
    const later = await list.call({ authorization: `Bearer ${await tokens.bearer()}` });
    return later.answer?.status ?? 0;
  });
  throw new Violation({
    message: `a list call with a token just issued was answered ${again.status}; it must be answered 200`,
    expected: 200,
    actual: again.status,
    exchanges: [again.exchange, refusal],
  });
}

/** Throws Violation where the plain list call, which was answered before, ends in a 5xx from some call on. */
async function expectStillAnswered(context: CheckContext, met: Exchange): Promise<void> {
  const { list, tokens } = context;
  const exchanges = [met.number];
  const askAgain = async (): Promise<Exchange> => {
    const exchange = await list.call({ authorization: `Bearer ${await tokens.bearer()}` });
    list.read(exchange);
    exchanges.unshift(exchange.number);
    return exchange;
  };
  const again = await askAgain();
  if (!isServerError(again)) return;
  await confirmServerError(
    context,
    again.answer?.status ?? 0,
    async () => (await askAgain()).answer?.status ?? 0,
  );
  const status = met.answer?.status;
  throw new Violation({
    message: `the list call with a valid token, which was answered 200 before, is answered ${status} since; it must be answered 200`,
    expected: 200,
    actual: status ?? null,
    exchanges,
  });
}

/** Throws Violation where calls were refused twice in the run although the same token was accepted right after; Undecided for once. */
function expectInForce(refusals: readonly RefusalInForce[]): void {
  const [first] = refusals;
  if (first === undefined) return;
  // Calls that were under way together are one occasion.
  const over = first.accepted.startedAt + first.accepted.durationMs;
  const second = refusals.find(({ refused }) => refused.startedAt >= over);
  const message =
    'a list call with a valid token was answered 401, and the same token was accepted right after';
  if (second === undefined)
    throw new Undecided({ kind: 'intermittent', seen: 1, attempts: refusals.length + 1 }, message);
  throw new Violation({
    message: `${message}; ${refusals.length} calls of this run were, and each must be answered 200`,
    expected: 200,
    actual: 401,
    exchanges: [second, first].flatMap(({ refused, accepted }) => [refused.number, accepted.number]),
  });
}
