import type { Exchange } from '../core/exchange.ts';
import { type EarlyExpiry, VALIDITY } from '../provider/token-client.ts';
import type { CheckContext } from './context.ts';
import { waitFor } from './interruptible-wait.ts';
import { Violation } from './violation.ts';

/** Wait at most until a token has the age at which another one was refused, in milliseconds. */
const MAX_WAIT_MS = 900_000;
/** The same if a later token request may have ended the token. */
const MAX_EXPLAINED_WAIT_MS = 120_000;
/** List calls with one token at most, to find out whether tokens end after a number of calls. */
const MAX_USES = 200;
/** Restarts of the trial because the run requested another token during it. */
const MAX_RESTARTS = 5;
/** Milliseconds before a restart, and beyond the age at which other tokens ended. */
const MARGIN_MS = 100;
/** The token of the trial becomes this much older than the refused tokens, and is used this much more, because lifetimes may vary. */
const SAFETY_FACTOR = 1.25;

/**
 * Expects that no valid token of the run was refused while a fresh one was accepted (5.3, 8). Confirms it with
 * another token, which reaches the same age and number of uses without any other token request: then neither a
 * later token request nor a probe explains the refusal. A refusal that does not repeat, such as after a restart
 * of the provider, is reported by observe/token-reuse only. Throws Violation.
 */
export async function expectNoEarlyExpiry(context: CheckContext): Promise<void> {
  const { endings } = context.tokens;
  const unexplained = endings.filter((one) => one.unexplained);
  const candidates = unexplained.length > 0 ? unexplained : endings;
  const longest = unexplained.length > 0 ? MAX_WAIT_MS : MAX_EXPLAINED_WAIT_MS;
  const seen = candidates.filter(({ ageMs }) => ageMs <= longest);
  const [first] = seen;
  if (first === undefined) return;
  const trial: Trial = {
    first,
    uses: Math.min(MAX_USES, Math.ceil(Math.max(...seen.map(({ uses }) => uses)) * SAFETY_FACTOR)),
    ageMs: Math.max(...seen.map(({ ageMs }) => ageMs)) * SAFETY_FACTOR + MARGIN_MS,
  };
  for (let tries = 0; tries < MAX_RESTARTS; tries++) {
    if ((await tryAgain(context, trial)) === 'kept') return;
    await waitFor(MARGIN_MS, context);
  }
}

/** The trial of a further token. */
interface Trial {
  readonly first: EarlyExpiry;
  readonly uses: number;
  readonly ageMs: number;
}

/** Throws Violation if another token ends as well; `disturbed` if the run requested a token in the meantime. */
async function tryAgain(context: CheckContext, { first, uses, ageMs }: Trial): Promise<'kept' | 'disturbed'> {
  const { tokens, list } = context;
  const issued = await tokens.apart();
  if (issued.token === null) return 'disturbed';
  const requestsBefore = tokens.requestsBegun;
  const authorization = `Bearer ${issued.token}`;
  const ask = async (): Promise<Exchange> => {
    const exchange = await list.call({ authorization });
    list.read(exchange);
    return exchange;
  };
  let refused = await ask();
  if (refused.answer?.status !== 200) return 'disturbed';
  let used = 1;
  for (; used < uses && refused.answer?.status === 200; used++) refused = await ask();
  if (refused.answer?.status === 200) {
    await waitFor(issued.answeredAt + ageMs - context.clock.now(), context);
    refused = await ask();
    used += 1;
  }
  const again = await list.call({ authorization });
  list.read(again);
  if (tokens.requestsBegun !== requestsBefore) return 'disturbed';
  if (refused.answer?.status !== 401 || again.answer?.status !== 401) return 'kept';
  const fresh = await tokens.apart();
  const accepted = await list.call({ authorization: `Bearer ${fresh.token}` });
  list.read(accepted);
  if (accepted.answer?.status !== 200) return 'kept';
  context.exercised();
  throw new Violation({
    message: `${sentenceOf(first)}; a second token was refused as well, ${seconds(refused.startedAt - issued.askedAt)} after it was issued with no other token request in between`,
    expected: `accepted for ${VALIDITY} seconds`,
    actual: 'status 401',
    counterexample: {
      ageSeconds: Math.round((refused.startedAt - issued.askedAt) / 100) / 10,
      uses: used,
    },
    exchanges: [refused.number, issued.exchange.number, again.number, accepted.number, first.refused.number],
  });
}

function sentenceOf({ ageMs, uses, expiresIn }: EarlyExpiry): string {
  return `a token with expires_in ${expiresIn} was refused (status 401) ${seconds(ageMs)} after it was issued, after ${uses} list calls, and a newer one was accepted right after`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(milliseconds < 10_000 ? 1 : 0)} s`;
}
