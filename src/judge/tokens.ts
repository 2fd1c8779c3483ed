import type { TokenAnswer } from '../provider/token-answer.ts';
import type { TokenClient } from '../provider/token-client.ts';
import { unavailability } from '../provider/unavailability.ts';
import type { CheckContext } from './context.ts';
import { type Breach, Violation } from './findings.ts';

/** How a bearer token is written (RFC 6750, 2.1): sent otherwise, it is no token to anybody. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Throws Undecided where the token endpoint is throttled or down: such an answer shows nothing. */
export function expectDecision({ target }: TokenClient, answer: TokenAnswer): void {
  const later = unavailability('the token endpoint', answer.exchange, target.limits);
  if (later !== null) throw later;
}

/**
 * Wraps what sends token requests that must be refused. But for `smoke`, which sends few, it passes only if a right
 * request is still answered after all of them: a provider that has locked the client, or blocked the address, refuses
 * whatever it is sent. Throws what `judge` throws; Undecided, NoAnswer.
 */
export function probing(
  judge: (context: CheckContext) => Promise<void>,
): (context: CheckContext) => Promise<void> {
  return async (context) => {
    if (context.options.suite === 'smoke') return judge(context);
    const probes = context.tokens.probing();
    try {
      await judge(context);
    } catch (error) {
      probes.leave();
      throw error;
    }
    await probes.control();
  };
}

/** Whether an answer of status 200 gives what could be sent as a token. */
export function givesToken({ token }: TokenAnswer): boolean {
  return token !== null && B64TOKEN.test(token);
}

/**
 * Expects that a token request which must be refused obtains no access token, whatever the status. An answer of 200
 * with an access_token is a breach; a token that stands in any other answer is one where it opens the list.
 * Throws Violation, Undecided, NoAnswer.
 */
export async function expectNoToken(
  context: CheckContext,
  answer: TokenAnswer,
  asked: string,
): Promise<void> {
  expectDecision(context.tokens, answer);
  context.exercised();
  const candidate = answer.token ?? answer.stray;
  if (candidate === null) return;
  const label = context.tokens.labelOf(candidate);
  const opens = await opensTheList(context, candidate);
  // Beside an error, or where no token could look like that, a text is none unless it opens something.
  if (!givesToken(answer) && !opens.yes) return;
  const breach: Breach = {
    message: `a token request ${asked} was answered ${answer.status} with an access token${opens.yes ? ', and that token opens the list' : ''}; it must obtain none`,
    expected: 'no access token',
    actual: `status ${answer.status} with access_token [${label}]`,
    counterexample: { request: asked },
    exchanges: [answer.exchange.number, ...(opens.exchange === null ? [] : [opens.exchange])],
    request: answer.exchange.request,
  };
  throw new Violation(breach);
}

async function opensTheList(
  context: CheckContext,
  token: string,
): Promise<{ readonly yes: boolean; readonly exchange: number | null }> {
  try {
    const exchange = await context.list.call({ authorization: `Bearer ${token}` });
    return { yes: exchange.answer?.status === 200, exchange: exchange.number };
  } catch {
    // The proof stands without it: the status and the token are in evidence.
    return { yes: false, exchange: null };
  }
}
