import type { Exchange } from '../../core/exchange.ts';
import { OVER_KEPT_CONNECTION } from '../../provider/call-options.ts';
import type { CheckContext } from '../context.ts';
import { evidenceOrNull } from '../optional-answer.ts';
import { callOnce, unsharedRefusal, unsharedTarget } from '../probes/list-refusals.ts';
import type { Breach, SequenceStep } from '../violation.ts';
import { expectAcceptedOnKeptConnection } from './connection-trial.ts';

/** A call with a valid token. What other calls show leaves no other reason for its answer. */
export interface ValidCall extends Pick<Breach, 'message' | 'exchanges' | 'sequence'> {
  readonly status: number | null;
}

/**
 * A call with a valid token if it is refused after the same call was refused without one; `accepted` if a call whose
 * header names were in lower case was not refused.
 */
export async function findCachedRefusal(context: CheckContext): Promise<ValidCall | 'accepted' | null> {
  const { list, tokens } = context;
  const sequence: SequenceStep[] = [];
  for (const number of [0, 1]) {
    const target = unsharedTarget(context, number);
    // What cannot be decided about calls without a token is reported by authorization/required.
    const sent = number === 0 ? unsharedRefusal(context) : callOnce(context, { target, authorization: null });
    const refused = await evidenceOrNull(context, sent);
    if (refused === null || !isUnauthorized(refused)) return null;
    // So that each token of the run is used, if possible.
    const unused = number === 0 ? tokens.history.unusedToken : null;
    const connection = number === 0 ? OVER_KEPT_CONNECTION : {};
    const callWith = (token: string) =>
      list.call({ target, authorization: `Bearer ${token}`, hasLowerCaseNames: true, ...connection });
    const first = unused === null ? null : await callWith(unused);
    if (first !== null && !isUnauthorized(first)) return 'accepted';
    const token = await tokens.bearer();
    const again = await callWith(token);
    if (!isUnauthorized(again)) {
      if (unused !== null && first !== null) tokens.history.noteEarlyExpiry(unused, first, false);
      return 'accepted';
    }
    if (number === 0) await expectAcceptedOnKeptConnection(context);
    // The token itself may have ended, or the names of the headers may be the reason.
    const authorization = `Bearer ${token}`;
    const other = { target: unsharedTarget(context, 2), authorization, hasLowerCaseNames: true };
    if (isUnauthorized(await list.call(other))) return null;
    sequence.push({ exchange: refused.number, token: null }, { exchange: again.number, token: 1 });
  }
  return {
    message:
      `GET ${unsharedTarget(context, 1)} with a valid token was answered 401 after the same call without ` +
      'a token, while other calls with that token were accepted: ' +
      'the refusal of one caller is given to another, as by a cache whose key is the URL alone',
    status: 401,
    exchanges: sequence.map(({ exchange }) => exchange).toReversed(),
    sequence: sequence.slice(-2),
  };
}

/** A call that is refused twice for header names in lower case, and accepted in between as usual. */
export async function findLowerCaseRefusal({ list, tokens }: CheckContext): Promise<ValidCall | null> {
  const authorization = `Bearer ${await tokens.bearer()}`;
  const call = { target: `${list.path}?$pagesize=1`, authorization };
  const refused = await list.call({ ...call, hasLowerCaseNames: true });
  if (!isUnauthorized(refused)) return null;
  const usual = await list.call(call);
  const again = await list.call({ ...call, hasLowerCaseNames: true });
  const usualAgain = await list.call(call);
  if (!isUnauthorized(again) || usual.answer?.status !== 200 || usualAgain.answer?.status !== 200)
    return null;
  return {
    message:
      `GET ${call.target} with a valid token was answered 401 if the names of its headers are in lower ` +
      'case, as in "authorization: Bearer <token>", and 200 as usual; it must be answered 200',
    status: 401,
    exchanges: [again.number, usual.number, refused.number, usualAgain.number],
  };
}

function isUnauthorized(exchange: Exchange): boolean {
  return exchange.answer?.status === 401;
}
