import { intermittent, unavailable } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { attemptUntilSeenAgain, confirmServerError } from '../../src/judge/confirmation.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { orNull } from '../../src/judge/outcomes.ts';
import { throwIfMistaken } from '../../src/judge/probes/expected-page.ts';
import { expectNoRepeatedErrors } from '../../src/judge/proofs/failed-token-requests.ts';
import {
  expectEachAnswered,
  expectNoPortal,
  expectNoWebPages,
  hasTokenElsewhere,
} from '../../src/judge/proofs/valid-request-trial.ts';
import { Violation, violationOfStatus } from '../../src/judge/violation.ts';
import { credentialsDiagnosis, type Diagnosis, tokenRefusal } from '../../src/provider/diagnosis.ts';
import { otherTokenRequests, requestsWithPercentBlanks } from '../../src/provider/other-token-requests.ts';
import { oauthError } from '../../src/provider/refusal-wording.ts';
import { lockedOut, undecidedIfThrottled } from '../../src/provider/throttled-answer.ts';
import { isWebPage, refusesWith200, type TokenAnswer } from '../../src/provider/token-answer.ts';
import { TOKEN_SPELLINGS } from '../../src/provider/token-spellings.ts';

/** How often a refused spelling of the token request and the usual one are sent in turn. */
const SPELLING_TURNS = 3;

export const tokenIssued = requirement({
  id: 'token/issued',
  clause: ['4.1', '5.2', '5.5'],
  smoke: true,
  rule: `A form-encoded request for the client-credentials grant that has client_id and client_secret in its
      body, and no Authorization header, is answered with HTTP 200.`,
  tested: `Sends POST {authUrl}/connect/token with the credentials of the target file as
      application/x-www-form-urlencoded and reads the status. Except in smoke, sends it a second time before any wrong
      request, and writes later ones in other ways that mean the same: fields in another order, %20 for a blank, other
      percent-escapes, no Accept. If any valid request of the run was refused although nothing but valid requests was sent
      since the last accepted one, sends up to twelve more; so it does if one was answered with a web page: two fail if a
      token was issued between them, others may be due to an outage. A token that comes with another status of success than 200
      fails at once. A web page or a redirect after a token was issued leaves the verdict open if list calls are answered
      alike. Refusals that name no mistake of the request, such as 409, leave the verdict open if there are two and further
      requests do not prove them, and so do server errors and redirects to the end of the run. If one was refused after wrong requests, sends others over new
      and over kept connections: a provider that has locked the client refuses both. After server errors, and statuses such as 404 and 409, sends others one
      after another; after server errors also two at once. Most other requirements build on this token.`,
  breach: `Any status but 200, including a redirect, for credentials that are known to be correct: they obtain a
      token at another time, or in another way such as HTTP Basic or with a secret that is encoded twice. If nothing
      shows that they are correct, the run
      cannot be carried out, and Assay lists the likely mistakes.`,
  causes: `Credentials or scope of another environment in the target file; an authUrl that already ends in
      /connect, or lacks the base path that a gateway adds; an authorization server that accepts the client only by
      HTTP Basic (client_secret_basic) and not from the form; a client registered without the client_credentials
      grant; a web application firewall that blocks secrets with special characters.`,
  fix: `Send the curl line of the report by hand. If it is refused, compare clientId, clientSecret and scope with
      what was issued, and remove a trailing /connect/token from authUrl. If the server requires HTTP Basic, allow
      client_secret_post for this client.`,
  judge: async (context) => {
    const first = await context.tokens.firstAnswer();
    // Other checks send the second request, in their order.
    context.afterAllChecks(() => judgeValidRequests(context, first));
  },
});

/** The oracle, over one answer to a valid request. */
function isIssued(answer: TokenAnswer): boolean {
  return answer.status === 200 && !isWebPage(answer);
}

async function judgeValidRequests(context: CheckContext, firstAnswer: TokenAnswer): Promise<void> {
  const { tokens, options, exercised, target } = context;
  const answers = [firstAnswer];
  if (options.suite !== 'smoke') answers.push(await tokens.secondAnswer());
  await expectNoRepeatedErrors(context);
  for (const answer of answers) expectAvailable(context, answer);
  if (answers.every(refusesWith200)) throwIfMistaken(tokenRefusal(firstAnswer.exchange, target));
  exercised();
  const [first, other] = answers.filter((answer) => !isIssued(answer));
  if (first === undefined) {
    await expectAnySpelling(context);
    await expectEachAnswered(context);
    await expectNoWebPages(context);
    return expectStillAnswered(context);
  }
  if (tokens.history.refusedBeforeWrong.length > 1 || hasTokenElsewhere(first))
    return expectEachAnswered(context);
  const askAgain = async (): Promise<TokenAnswer | null> => {
    const again = await tokens.requestAnother();
    expectAvailable(context, again);
    return isIssued(again) ? null : again;
  };
  if (hasIssued(context)) await expectNoPortal(context, first);
  const message = `answered ${statusText(first)} once, and given a token the next times`;
  const second = other ?? (await attemptUntilSeenAgain(askAgain, { attempts: answers.length, message }));
  // A provider may lock the client, or block the address, after wrong requests.
  if (tokens.history.mayBeLockedOut(second)) throw lockedOut(second);
  // Without a proof that the credentials are correct, a mistake in the target file is the most likely cause.
  const proof = await proofOfCredentials(context, second);
  const mistake =
    proof === null
      ? (tokenRefusal(second.exchange, target) ?? (await mistakeInCredentials(context, second)))
      : null;
  throwIfMistaken(mistake);
  await confirmServerError(context, second.status, async () => (await tokens.requestAnother()).status);
  throw new Violation({
    message:
      `the token request with the configured credentials was answered ${statusText(second)}; ` +
      `it must be answered 200${proof?.how ?? ''}`,
    expected: 200,
    actual: isWebPage(second) ? statusText(second) : second.status,
    exchanges: [first, second, proof?.answer],
  });
}

/** The status of an answer that issues no token, and what a status of 200 came with. */
function statusText(answer: TokenAnswer): string {
  return `${answer.status}${isWebPage(answer) ? ' with a web page' : ''}`;
}

/** The mistake in the target file if the second provider's credentials obtain a token by a request like the refused one. */
async function mistakeInCredentials(
  { tokens, target }: CheckContext,
  { exchange, status }: TokenAnswer,
): Promise<Diagnosis | null> {
  if (status < 400 || target.otherCredentials === null) return null;
  const answer = await orNull(tokens.secondClientAnswer());
  return answer?.status === 200 && answer.token !== null ? credentialsDiagnosis(exchange, target) : null;
}

/** Throws Violation if a valid request is refused twice for its spelling; Undecided for once. */
async function expectAnySpelling(context: CheckContext): Promise<void> {
  const { tokens } = context;
  while (isSpellingLeft(context)) await tokens.requestAnother();
  const [found] = tokens.history.refusedSpellings;
  if (found === undefined) return;
  const { spelling, refused, accepted } = found;
  const message = `the token request ${spelling.how} was answered ${refused.status}, and as usual it was answered 200`;
  const answers: TokenAnswer[] = [];
  // In turn, because a rate limit refuses some of them; in both orders, because servers may take turns, too.
  for (let turn = 0; turn < SPELLING_TURNS; turn++) {
    const early = turn % 2 === 0 ? null : await tokens.requestAnother();
    const again = await tokens.endpoint.sendValid(tokens.endpoint.validForm(), spelling);
    const usual = early ?? (await tokens.requestAnother());
    // A lock-out after wrong requests may have ended between the two requests.
    if (again.status === 200 && tokens.wrong.wasLocked) return;
    if (again.status !== refused.status || usual.status !== 200) {
      await expectEachAnswered(context, refused);
      throw intermittent(message, turn + 2);
    }
    answers.unshift(again, usual);
  }
  throw violationOfStatus(refused.status, {
    message: `${message}; both say the same and must be answered 200`,
    exchanges: [...answers.slice(0, 2), refused, accepted],
  });
}

/**
 * Whether some spelling was not sent yet, and none was refused: a run that obtains no usable token sends fewer valid
 * requests than there are spellings.
 */
function isSpellingLeft({ options, tokens }: CheckContext): boolean {
  const sent = tokens.history.answersToValidRequests();
  const isUsable = sent.some(({ token }) => token !== null);
  const isComplete = sent.length > TOKEN_SPELLINGS.length || tokens.history.refusedSpellings.length > 0;
  return options.suite !== 'smoke' && !isUsable && !isComplete;
}

/**
 * Throws Undecided if the last valid request of the run was answered with a server error or a redirect, and a further one is as
 * well.
 */
async function expectStillAnswered({ tokens }: CheckContext): Promise<void> {
  const isLost = ({ status }: TokenAnswer): boolean => status >= 500 || (status >= 300 && status < 400);
  const last = tokens.history.answersToValidRequests().at(-1);
  if (last === undefined || !isLost(last)) return;
  const next = await tokens.requestAnother();
  if (!isLost(next)) return;
  const { status } = next;
  throw unavailable(
    status,
    `valid token requests are answered ${status} now, and were answered 200 earlier in this run`,
  );
}

/** Throws Undecided if the endpoint is throttled or down. */
function expectAvailable(context: CheckContext, { exchange }: TokenAnswer): void {
  const { limits } = context.target;
  const later = undecidedIfThrottled('the token endpoint', exchange, limits, !hasIssued(context));
  if (later !== null) throw later;
}

function hasIssued({ tokens }: CheckContext): boolean {
  return tokens.history.answersToValidRequests().some(isIssued);
}

/**
 * What shows that the credentials are correct, as the end of a sentence and with its answer: a token that they obtained
 * in this run, or obtain in another way. Null if nothing does.
 */
async function proofOfCredentials(
  context: CheckContext,
  refused: TokenAnswer,
): Promise<{ readonly how: string; readonly answer: TokenAnswer | null } | null> {
  const { tokens } = context;
  const { body, tokenElsewhere, exchange } = refused;
  if (body.ok && tokenElsewhere !== null && exchange.answer !== null && oauthError(exchange.answer) === null)
    return { how: '; its body gives a token', answer: null };
  const isKnown = hasIssued(context);
  const ways = isKnown ? requestsWithPercentBlanks(tokens, refused) : otherTokenRequests(tokens, refused);
  for (const { how, send } of ways) {
    const answer = await orNull(send());
    if (answer !== null && answer.status === 200 && answer.token !== null)
      return { how: `; the same credentials obtain a token ${how}`, answer };
  }
  return isKnown ? { how: '', answer: null } : null;
}
