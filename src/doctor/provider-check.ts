import { reasonOf } from '../core/cause-sentences.ts';
import { type Exchange, headerOf } from '../core/exchange.ts';
import { jwtOf } from '../core/jwt.ts';
import { withCommas } from '../core/number-format.ts';
import { MAX_PAGE_SIZE } from '../core/page-size.ts';
import { messageOf } from '../core/system-error.ts';
import { Undecided } from '../core/undecided.ts';
import { Redactor } from '../evidence/redaction/redactor.ts';
import type { Tokens } from '../mock/index.ts';
import { keyWithPlace, listRefusal, tokenRefusal } from '../provider/diagnosis.ts';
import { differenceFromTokens, whyNotExpired } from '../provider/expired-token.ts';
import { failureDiagnosis } from '../provider/failure-diagnosis.ts';
import type { ListClient } from '../provider/list-client.ts';
import { NoAnswer } from '../provider/sender.ts';
import { undecidedIfThrottled } from '../provider/throttled-answer.ts';
import type { TokenClient } from '../provider/token-client.ts';
import { Session } from '../run/session.ts';
import type { Target } from '../target/target.ts';
import { capitalised, formatMs, makeStep, type Step, type StepStatus } from './connectivity-check.ts';

/** A token with its exchange, or why there is none: one sentence that may quote the provider. */
type TokenRequest =
  | { readonly token: string; readonly expiresIn: number | null; readonly exchange: Exchange }
  | { readonly problem: string; readonly exchange: Exchange | null };

/** The results of a token request and one call of each list. */
export interface ProviderFacts {
  readonly steps: readonly Step[];
  /** Null without a token. */
  readonly tokens: Tokens | null;
  /** Records of each list, in the order of the target's resources; null if unknown. */
  readonly records: readonly (number | null)[];
  /** Median response time in milliseconds; null without answers. */
  readonly latencyMs: number | null;
  /** How far the clocks are apart; null if unknown. */
  readonly skew: ClockSkew | null;
}

/** How far the provider's clock is ahead of the local one, in milliseconds. */
export interface ClockSkew {
  /** What the answers prove; 0 if they do not show which clock is ahead. */
  readonly provenMs: number;
  /** The skew, in either direction, is not larger. */
  readonly mostMs: number;
}

/** Requests a token of each client, another one to compare an expired token with, and the first page of every list. */
export async function checkProvider(
  target: Target,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | null,
): Promise<ProviderFacts> {
  return inSession(target, env, signal, async (session, tokens) => {
    const exchanges: Exchange[] = [];
    const facts = await checkTokenAndLists(session, tokens, exchanges);
    const times = exchanges.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
    return {
      ...facts,
      steps: facts.steps.map((one) => ({ ...one, sentence: session.redactWords(one.sentence) })),
      latencyMs: times[Math.floor(times.length / 2)] ?? null,
      skew: skewOf(exchanges),
    };
  });
}

async function checkTokenAndLists(
  session: Session,
  tokens: TokenClient,
  exchanges: Exchange[],
): Promise<Pick<ProviderFacts, 'steps' | 'tokens' | 'records'>> {
  const unknown = session.inputs.map(() => null);
  const steps: Step[] = [];
  const tokenResult = await requestToken(tokens, session.target);
  if (tokenResult.exchange !== null) exchanges.push(tokenResult.exchange);
  if ('problem' in tokenResult)
    return { steps: [makeStep('token', 'problem', tokenResult.problem)], tokens: null, records: unknown };
  const { token } = tokenResult;
  const kind = jwtOf(token) === null ? 'opaque' : 'a JWT';
  const lifetime =
    tokenResult.expiresIn === null ? 'without expires_in' : `for ${tokenResult.expiresIn} seconds`;
  const took = formatMs(tokenResult.exchange.durationMs);
  steps.push(makeStep('token', 'ok', `The credentials obtain a token (${kind}, ${lifetime}) in ${took}.`));
  if (session.target.otherCredentials !== null) steps.push(await checkOtherClient(tokens, exchanges));
  if (session.target.expiredToken !== null)
    steps.push(await checkExpiredToken(tokens, session.target.expiredToken));
  const records: (number | null)[] = [];
  for (const { list } of session.inputs) {
    const { step, count } = await checkList(list, token, exchanges);
    steps.push(step);
    records.push(count);
  }
  return { steps, tokens: jwtOf(token) === null ? 'opaque' : 'jwt', records };
}

/** Requests a token with the credentials of the second provider. */
async function checkOtherClient(tokens: TokenClient, exchanges: Exchange[]): Promise<Step> {
  const of = 'otherCredentials';
  try {
    const { token, status, exchange } = await tokens.secondClientAnswer();
    exchanges.push(exchange);
    if (token !== null)
      return makeStep('token', 'ok', `${of} obtain a token in ${formatMs(exchange.durationMs)}.`);
    const later = undecidedIfThrottled('the token endpoint', exchange, tokens.target.limits, true);
    if (later !== null) throw later;
    const keys = ['clientId', 'clientSecret', 'scope'].map((key) =>
      keyWithPlace(tokens.target, `${of}.${key}`),
    );
    const advice = status >= 400 && status < 500 ? ` Check ${keys.join(', ')}.` : '';
    const sentence = `${of} obtain no token: the token request was answered ${status}.${advice}`;
    return makeStep('token', 'problem', sentence);
  } catch (error) {
    return makeStep('token', 'problem', `${of}: ${describeFailure(error, tokens.target)}`);
  }
}

/** Compares the expired token of the target file with two tokens of the provider. */
async function checkExpiredToken(tokens: TokenClient, expiredToken: string): Promise<Step> {
  const { target, history } = tokens;
  const key = keyWithPlace(target, 'expiredToken');
  try {
    await tokens.secondAnswer();
    const issued = history.answersToValidRequests().flatMap(({ token }) => token ?? []);
    const why =
      whyNotExpired(expiredToken, target.expiry.toleranceSeconds, Date.now()) ??
      differenceFromTokens(expiredToken, issued);
    return why === null
      ? makeStep('token', 'ok', 'expiredToken looks like the tokens of the provider.')
      : makeStep('token', 'problem', `Check ${key}: ${why}.`);
  } catch (error) {
    return makeStep('token', 'problem', `expiredToken: ${describeFailure(error, target)}`);
  }
}

async function checkList(
  list: ListClient,
  token: string,
  exchanges: Exchange[],
): Promise<{ readonly step: Step; readonly count: number | null }> {
  const target = `${list.path}?$count=true`;
  const call = `GET ${target}`;
  const result = (finding: StepStatus, sentence: string, count: number | null = null) => ({
    step: makeStep('list', finding, sentence),
    count,
  });
  try {
    const exchange = await list.call({ target, authorization: `Bearer ${token}` });
    exchanges.push(exchange);
    const answer = list.readAndNote(exchange);
    if (answer.kind !== 'page') {
      const site =
        answer.kind === 'no-envelope' && answer.isWebPage
          ? `. Check ${keyWithPlace(list.target, 'baseUrl')}: it may lead to a web site`
          : '';
      const refusal = listRefusal(exchange, list.target)?.sentence;
      return result('problem', `${refusal ?? `${call} does not return a list: ${answer.why}${site}`}.`);
    }
    const returned = `${call} returns ${withCommas(answer.itemCount)} records in ${formatMs(exchange.durationMs)}`;
    const { count, identities } = answer;
    const isKnown = typeof count === 'number' && Number.isSafeInteger(count) && count >= 0;
    const unnamed = identities.filter((identity) => identity === 0n).length;
    if (unnamed > 0) {
      const { idField, name } = list.resource;
      const sentence = `${returned}, ${withCommas(unnamed)} of them without ${idField}. Check idField of ${name} in the target file.`;
      return result('warning', sentence, isKnown ? count : null);
    }
    if (isKnown) return result('ok', `${returned}; the list has ${withCommas(count)}.`, count);
    const mayHaveMore = answer.link !== undefined || answer.itemCount >= MAX_PAGE_SIZE;
    if (mayHaveMore)
      return result('warning', `${returned} but no count, so the length of the list is unknown.`);
    return result('warning', `${returned} but no count, although $count is true.`, answer.itemCount);
  } catch (error) {
    return result('problem', `${call}: ${describeFailure(error, list.target)}`);
  }
}

/**
 * The Date header has a resolution of one second, and that second began between the request and its answer. The fastest
 * answer is the most accurate.
 */
function skewOf(exchanges: readonly Exchange[]): ClockSkew | null {
  const skews = exchanges.flatMap(({ answer, startedAt, durationMs }) => {
    const dateMs = Date.parse(headerOf(answer?.headers ?? [], 'date') ?? '');
    if (Number.isNaN(dateMs)) return [];
    const [earliest, latest] = [dateMs - (startedAt + durationMs), dateMs + 999 - startedAt];
    // The skew is between the two; it counts as 0 if they are on both sides of 0.
    const provenMs = earliest > 0 ? earliest : latest < 0 ? latest : 0;
    return [{ provenMs, mostMs: Math.max(latest, -earliest), durationMs }];
  });
  return skews.toSorted((one, other) => one.durationMs - other.durationMs)[0] ?? null;
}

/** Obtains a token with the credentials of a target, without recording evidence. */
export async function obtainToken(
  target: Target,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | null,
): Promise<TokenRequest> {
  return inSession(target, env, signal, async (session, tokens) => {
    const request = await requestToken(tokens, target);
    return 'problem' in request ? { ...request, problem: session.redactWords(request.problem) } : request;
  });
}

/** Works in a session that records no evidence. */
async function inSession<Result>(
  target: Target,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal | null,
  work: (session: Session, tokens: TokenClient) => Promise<Result>,
): Promise<Result> {
  const options = { suite: 'smoke', seed: 1, runs: null, expiry: false } as const;
  const session = new Session({ target, options, redactor: new Redactor(), signal, environment });
  const [input] = session.inputs;
  if (input === undefined) throw new Error('a target has at least one resource');
  try {
    return await work(session, input.tokens);
  } finally {
    await session.close();
  }
}

async function requestToken(tokens: TokenClient, target: Target): Promise<TokenRequest> {
  try {
    const { token, expiresIn, exchange } = await tokens.firstAnswer();
    return token === null
      ? { problem: problemOf(exchange, target), exchange }
      : { token, expiresIn, exchange };
  } catch (error) {
    return { problem: describeFailure(error, target), exchange: null };
  }
}

function problemOf(exchange: Exchange, target: Target): string {
  const { answer, request } = exchange;
  const later = undecidedIfThrottled('the token endpoint', exchange, target.limits, true);
  if (later !== null) return describeFailure(later, target);
  const where = `POST ${request.origin}${request.target}`;
  const mistake = tokenRefusal(exchange, target);
  if (mistake !== null) return `${mistake.sentence}.`;
  const what =
    answer?.status === 200 ? 'was answered 200 without an access_token' : `was answered ${answer?.status}`;
  return `${where} ${what}, which violates the specification.`;
}

/** Why a request got no usable answer, as a sentence. */
function describeFailure(error: unknown, target: Target): string {
  const sentence =
    error instanceof NoAnswer
      ? failureDiagnosis(error.exchange.failure, error.exchange, target).sentence
      : error instanceof Undecided
        ? reasonOf(error.cause, error.message)
        : messageOf(error);
  return `${capitalised(sentence)}.`;
}
