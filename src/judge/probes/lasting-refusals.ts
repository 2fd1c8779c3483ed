import { type Exchange, headerOf } from '../../core/exchange.ts';
import { Blocked, Undecided } from '../../core/undecided.ts';
import type { RefusalInForce } from '../../provider/list-history.ts';
import { type CallOptions, NoAnswer, OVER_CONNECTION } from '../../provider/sender.ts';
import { isOfGateway } from '../../provider/throttled-answer.ts';
import { type CheckContext, waitFor } from '../context.ts';
import type { Violation } from '../violation.ts';
import { isAccepted } from './valid-token-calls.ts';

/** The order of accepted and refused calls. They do not strictly alternate, as a rate limit may let every second call pass. */
const IRREGULAR_ORDER = ['accepted', 'refused', 'refused', 'accepted', 'accepted', 'refused'] as const;
/** A round: an accepted call right before a refused one, and one right after it, exclude an outage. */
const ROUND = ['accepted', 'refused', 'accepted'] as const;
/** Rounds, and the milliseconds between them: longer in all than a restart or a deployment takes. */
const ROUNDS = 4;
const ROUND_PAUSE_MS = 3000;

/**
 * Makes a refused and an accepted call several times, alternately. If each is answered so again, neither an outage nor a
 * rate limit is the reason.
 *
 * @param order what each call is expected to be
 * @param isRefused whether an exchange is such a refusal; any other status than 200 unless given
 * @returns the exchanges, the last one first; null if one is answered in another way
 */
export async function alternateCalls(
  { list }: Pick<CheckContext, 'list'>,
  calls: { readonly refused: CallOptions; readonly accepted: CallOptions },
  order: readonly ('accepted' | 'refused')[] = IRREGULAR_ORDER,
  isRefused: (exchange: Exchange) => boolean = (exchange) => !isAccepted(exchange),
): Promise<readonly Exchange[] | null> {
  const exchanges: Exchange[] = [];
  for (const expected of order) {
    const exchange = await list.call(calls[expected]);
    if (!isRefusedByGateway(exchange)) list.readAndNote(exchange);
    if (expected === 'accepted' ? !isAccepted(exchange) : !isRefused(exchange)) return null;
    exchanges.unshift(exchange);
  }
  return exchanges;
}

/** Makes a refused call and the plain list call, both with the token of the run, as {@link alternateCalls} does. */
export async function alternateWithPlainCall(
  context: Pick<CheckContext, 'list' | 'tokens'>,
  target: string,
): Promise<readonly Exchange[] | null> {
  const authorization = `Bearer ${await context.tokens.bearer()}`;
  return alternateCalls(context, { refused: { target, authorization }, accepted: { authorization } });
}

/**
 * Lasting refusals by a gateway: each time, the request target is answered 502, 503 or 504 without Retry-After.
 * Returns as {@link findLastingRefusals} does.
 */
export async function refusalsByGateway(
  context: RoundContext,
  target: string,
): Promise<readonly Exchange[] | null> {
  const accepted = `${context.list.path}?$count=true`;
  const refusals = await findLastingRefusals(context, { refused: target, accepted }, isRefusedByGateway);
  if (refusals !== null) context.list.history.calls.noteLasting(target);
  return refusals;
}

type RoundContext = Pick<CheckContext, 'list' | 'tokens' | 'clock' | 'signal'>;

/**
 * Calls a request target in several rounds over some seconds, over kept and new connections. Its refusals last if another
 * target is answered 200 right before and right after each of them.
 *
 * @returns the refusals, the last one first; null if a call is answered in another way, or not at all
 */
export async function findLastingRefusals(
  context: RoundContext,
  { refused, accepted }: { readonly refused: string; readonly accepted: string },
  isRefused: (exchange: Exchange) => boolean,
): Promise<readonly Exchange[] | null> {
  const { tokens } = context;
  const exchanges: Exchange[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      if (round > 0) await waitFor(ROUND_PAUSE_MS, context);
      const authorization = `Bearer ${await tokens.bearer()}`;
      const connection = OVER_CONNECTION[round % 2 === 0 ? 'kept' : 'new'];
      const senderOptions: CallOptions['senderOptions'] = { isInVain: () => true };
      const calls = {
        refused: { target: refused, authorization, ...connection, senderOptions },
        // With retries, each refused call would fall on the one of two servers that is down.
        accepted: { target: accepted, authorization, ...connection, senderOptions },
      };
      const exchangesOfRound = await alternateCalls(context, calls, ROUND, isRefused);
      if (exchangesOfRound === null) return null;
      exchanges.unshift(...exchangesOfRound.filter((exchange) => !isAccepted(exchange)));
    }
  } catch (error) {
    if (error instanceof Undecided || error instanceof NoAnswer) return null;
    throw error;
  }
  return exchanges;
}

/** Whether a gateway answered that it got no answer from the provider, and did not ask to retry later. */
function isRefusedByGateway({ answer }: Exchange): boolean {
  return answer !== null && isOfGateway(answer.status) && headerOf(answer.headers, 'retry-after') === null;
}

/** A refusal that was not in progress at the same time as the first one; null if there is none. */
export function findSeparateRefusal([first, ...others]: readonly RefusalInForce[]): RefusalInForce | null {
  if (first === undefined) return null;
  const endedAt = first.accepted.startedAt + first.accepted.durationMs;
  return others.find(({ refused }) => refused.startedAt >= endedAt) ?? null;
}

/**
 * Expects that a refusal which proves a breach is repeated while the plain list call is accepted. Otherwise a rate limit,
 * the token, the connection or a server that fails now and then may be the reason. Applies to answers with status 403, and
 * for rules about pages also to 401 and 5xx. Throws Blocked.
 */
export async function expectRefusedAgain(context: CheckContext, violation: Violation): Promise<void> {
  const { list, requirement } = context;
  // These compare calls with different tokens.
  if (requirement.id === 'authorization/accepted' || requirement.id === 'token/accepted-until-expiry') return;
  const isAboutPages = !/^(?:token|authorization)\//.test(requirement.id);
  const refused = violation.breaches.map(({ exchanges }) =>
    list.history.calls
      .among(exchanges)
      .find(({ isRefused, status }) =>
        isAboutPages ? isRefused || (status ?? 0) >= 500 : isRefused && status === 403,
      ),
  );
  const [first] = refused;
  if (first === undefined || refused.includes(undefined)) return;
  const { target, status } = first;
  if ((await alternateWithPlainCall(context, target)) !== null) return;
  throw new Blocked(
    'authorization/accepted',
    `GET ${target} was answered ${status}, and in another way when repeated`,
  );
}
