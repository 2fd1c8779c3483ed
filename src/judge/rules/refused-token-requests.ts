import { isBearerToken } from '../../core/bearer-token.ts';
import type { Cause } from '../../core/cause.ts';
import { headStart } from '../../provider/head-start.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import type { Repetition } from '../../provider/token-endpoint.ts';
import { USUAL_ON_NEW_CONNECTION } from '../../provider/token-spellings.ts';
import type { CheckContext, Judge, Property } from '../context.ts';
import { errorOf, orNull } from '../outcomes.ts';
import { expectDecision } from '../probes/token-variations.ts';
import { Violation } from '../violation.ts';

/** Why fewer wrong secrets were sent than a rule needs. */
export const WRONG_CREDENTIALS_LIMIT: Cause = { kind: 'limit', limit: 'probes.wrongCredentials' };

export interface RefusalAnswer {
  /** What was wrong with the request, to follow "a token request". */
  readonly description: string;
  readonly answer: TokenAnswer;
  /** Sends another request whose breach would explain this one, and is reported instead. Null if it may not be sent. */
  readonly broader?: () => Promise<RefusalAnswer | null>;
}

/** Whether an answer of status 200 gives what could be sent as a token. */
export function givesToken({ token }: TokenAnswer): boolean {
  return token !== null && isBearerToken(token);
}

/**
 * Tests a rule by which token requests must be refused, by the answer to each probe.
 *
 * @param probes sends the requests, one after the other; throws Undecided if too few of them can be sent
 */
export function refusedTokenRequests(probes: (context: CheckContext) => AsyncIterable<RefusalAnswer>): Judge {
  return followedByValidRequest(async (context) => {
    for await (const probed of probes(context)) await expectNoToken(context, probed);
  });
}

/**
 * Tests such a rule with drawn requests: a breach is shrunk to the smallest one and confirmed.
 *
 * @param send also sends a request that was sent before
 */
export function refusedDrawnRequests<Case>(
  probes: (context: CheckContext) => Property<Case>,
  send: (context: CheckContext, value: Case, repetition: Repetition | null) => Promise<RefusalAnswer>,
): Judge {
  return followedByValidRequest(async (context) => {
    await context.tokens.bearer();
    // A wrong request that obtains a token is a breach without any other explanation.
    const drawn = { ...probes(context), expectNoOtherExplanation: async () => undefined };
    await context.property(drawn, async (attempt, value) =>
      expectNoToken(attempt, await send(attempt, value, null)),
    );
    const sendAgain = (again: Case, repetition: Repetition): Promise<RefusalAnswer> =>
      send(context, again, repetition);
    for await (const probed of repeatedRequests(context, drawn.examples, sendAgain))
      await expectNoToken(context, probed);
  });
}

/** Wrong requests of a kind that `certify` sends twice, at most. */
const MAX_REPEATED = 6;

/** How many of them are sent around a valid request. */
const MAX_RACING = 2;

/**
 * Sends wrong requests again. In `certify` the first is sent just before a valid one, and the second while that is in progress: a
 * server may keep what it reads from a request where the next one overwrites it.
 *
 * @param send sends a request that was sent before
 */
export async function* repeatedRequests<Case>(
  context: CheckContext,
  cases: readonly Case[],
  send: (again: Case, repetition: Repetition) => Promise<RefusalAnswer>,
): AsyncGenerator<RefusalAnswer> {
  const repeated = repeatedOf(context, cases);
  const racing = context.options.suite === 'certify' ? repeated.slice(0, MAX_RACING) : [];
  const [early, late] = racing;
  const answers = early === undefined ? [] : [send(early, 'apart')];
  const valid = racing.length === 0 ? null : orNull(context.tokens.requestUnshared(USUAL_ON_NEW_CONNECTION));
  if (late !== undefined) {
    await headStart();
    answers.push(send(late, 'apart'));
  }
  const settled = await Promise.allSettled(answers);
  await valid;
  for (const outcome of settled) {
    if (outcome.status === 'rejected') throw outcome.reason;
    yield sentWithValid(outcome.value);
  }
  for (const again of repeated.slice(racing.length)) yield sentAgain(await send(again, 'elsewhere'));
}

/** The wrong requests that are sent twice: in `certify` the first ones, otherwise one, which the seed chooses. */
function repeatedOf<Case>({ options, random }: CheckContext, cases: readonly Case[]): readonly Case[] {
  if (options.suite === 'certify') return cases.slice(0, MAX_REPEATED);
  const first = random('repeated request') % cases.length;
  return cases.slice(first, first + 1);
}

/** A refused request that is repeated at the same time as a valid one. */
export function sentWithValid(probed: RefusalAnswer): RefusalAnswer {
  const again = sentAgain(probed);
  return { ...again, description: `${again.description} at the same time as a valid one,` };
}

/** A refused request that is repeated: a provider may treat it as decided, and not check it again. */
export function sentAgain(probed: RefusalAnswer): RefusalAnswer {
  return { ...probed, description: `${probed.description}, which was refused before,` };
}

/**
 * Wraps a test that sends token requests which must be refused. The test passes only if a valid request is still
 * answered after them: a provider that has locked the client, or blocked the address, refuses every request. Not in
 * smoke, which sends few such requests. Throws what `sendAll` throws; Undecided, NoAnswer.
 */
function followedByValidRequest(sendAll: Judge): Judge {
  return async (context) => {
    if (context.options.suite === 'smoke') return sendAll(context);
    const probes = context.tokens.wrong.enterProbes();
    try {
      await sendAll(context);
    } catch (error) {
      probes.leave();
      throw error;
    }
    await probes.control();
  };
}

/**
 * Expects that one request obtained no access token. An answer of status 200 breaks this if its access_token can be sent
 * as a token; any other answer, if the list accepts its access_token. Throws Violation, Undecided, NoAnswer.
 */
export async function expectNoToken(context: CheckContext, probed: RefusalAnswer): Promise<void> {
  const error = await errorOf(() => expectNoTokenFor(context, probed));
  const broader = error instanceof Violation ? await orNull(probed.broader?.()) : null;
  if (broader !== null) await expectNoTokenFor(context, broader);
  if (error !== null) throw error;
}

async function expectNoTokenFor(
  context: CheckContext,
  { description, answer }: RefusalAnswer,
): Promise<void> {
  expectDecision(context.tokens, answer);
  context.exercised();
  const candidate = answer.token ?? answer.tokenElsewhere;
  if (candidate === null) return;
  const label = context.tokens.labelOf(candidate);
  // The violation does not need this answer: the status and the token are in evidence.
  const call = await context.list.call({ authorization: `Bearer ${candidate}` }).catch(() => null);
  const opensTheList = call?.answer?.status === 200;
  if (!givesToken(answer) && !opensTheList) return;
  throw new Violation({
    message:
      `a token request ${description} was answered ${answer.status} with an access ` +
      `token${opensTheList ? ', and the list accepts that token' : ''}; it must obtain none`,
    expected: 'no access token',
    actual: `status ${answer.status} with access_token [${label}]`,
    counterexample: { request: description },
    // A refusal by the list is no part of the breach.
    exchanges: [answer, opensTheList ? call : null],
    request: answer.exchange.request,
  });
}
