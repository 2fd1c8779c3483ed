import type { Exchange } from '../../core/exchange.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import { VALIDITY_SECONDS } from '../../provider/token-history.ts';
import { type CheckContext, waitFor } from '../context.ts';
import { Disturbed } from '../probes/valid-token-calls.ts';
import { Violation } from '../violation.ts';

/** Longest time, in milliseconds, in which a token is left unused. */
const MAX_UNUSED_MS = 30_000;
/** The shortest: the run may have left the refused token unused for longer than it was old when it was last used. */
const MIN_UNUSED_MS = 2000;
/** Calls with the newer token in that time. */
const CALLS_WITH_NEWER = 20;
/** Tokens that must end so. */
const TURNS = 2;
/** Milliseconds after which the refused token is tried again, in case a rate limit refused it. */
const AGAIN_MS = 2500;

/** A token that was refused after it was left unused. */
interface EndedToken {
  readonly issued: TokenAnswer;
  readonly accepted: Exchange;
  readonly refused: Exchange;
  readonly again: Exchange;
  /** The call with the newer token right before. */
  readonly newer: Exchange;
  readonly unusedMs: number;
}

/**
 * Leaves a token unused while a newer one is used, as long as the refused tokens of the run were old. Throws Violation
 * if it is refused then, although it was accepted after the newer one was issued, and if this shows twice; Disturbed
 * if the run requests another token in the meantime.
 *
 * @param refusal what the run saw, as a sentence
 * @param ageMs greatest age of a refused token
 */
export async function tryUnused(context: CheckContext, refusal: string, ageMs: number): Promise<void> {
  const unusedMs = Math.min(MAX_UNUSED_MS, Math.max(MIN_UNUSED_MS, ageMs));
  const ended: EndedToken[] = [];
  while (ended.length < TURNS) {
    const one = await leaveUnused(context, unusedMs);
    if (one === null) return;
    ended.push(one);
  }
  context.exercised();
  const longest = Math.max(...ended.map((one) => one.unusedMs)) / 1000;
  throw new Violation({
    message:
      `${refusal}; ${TURNS} further tokens, accepted after a newer one was issued, were refused after they had not been ` +
      `used for ${longest.toFixed(1)} s, in which the newer one was accepted, with no other token request in between`,
    expected: `accepted for ${VALIDITY_SECONDS} seconds`,
    actual: 'status 401',
    counterexample: { unusedSeconds: Math.round(longest * 10) / 10 },
    exchanges: ended.flatMap(({ issued, accepted, refused, again, newer }) => [
      refused.number,
      newer.number,
      again.number,
      accepted.number,
      issued.exchange.number,
    ]),
  });
}

/** Null if the token is still accepted, or if anything but its long disuse may explain that it is not. */
async function leaveUnused(context: CheckContext, unusedMs: number): Promise<EndedToken | null> {
  const { tokens, list, clock } = context;
  const issued = await tokens.requestUnshared();
  const newerToken = await tokens.requestUnshared();
  if (issued.token === null || newerToken.token === null) throw new Disturbed();
  if (issued.token === newerToken.token) return null;
  const requestsBefore = tokens.history.requests.begun;
  const callWith = async ({ token }: TokenAnswer): Promise<Exchange> => {
    const exchange = await list.call({ authorization: `Bearer ${token}` });
    list.read(exchange);
    return exchange;
  };
  const isAccepted = ({ answer }: Exchange): boolean => answer?.status === 200;
  let newer = await callWith(newerToken);
  const accepted = await callWith(issued);
  if (!isAccepted(newer) || !isAccepted(accepted)) return null;
  const lastUsedAt = clock.now();
  for (let call = 1; call <= CALLS_WITH_NEWER; call++) {
    await waitFor(lastUsedAt + (unusedMs * call) / CALLS_WITH_NEWER - clock.now(), context);
    newer = await callWith(newerToken);
    if (!isAccepted(newer)) return null;
  }
  const refused = await callWith(issued);
  if (refused.answer?.status !== 401) return null;
  const unused = clock.now() - lastUsedAt;
  await waitFor(AGAIN_MS, context);
  newer = await callWith(newerToken);
  const again = await callWith(issued);
  if (tokens.history.requests.begun !== requestsBefore) throw new Disturbed();
  if (!isAccepted(newer) || again.answer?.status !== 401) return null;
  return { issued, accepted, refused, again, newer, unusedMs: unused };
}
