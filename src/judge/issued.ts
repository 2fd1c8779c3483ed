import { headerOf } from '../core/exchange.ts';
import { Undecided } from '../core/undecided.ts';
import { oauthError, tokenRefusal } from '../provider/diagnosis.ts';
import type { TokenAnswer } from '../provider/token-answer.ts';
import { isWebPage } from '../provider/token-client.ts';
import { unavailability } from '../provider/unavailability.ts';
import type { CheckContext } from './context.ts';
import { Violation } from './findings.ts';
import { confirmServerError } from './outage.ts';
import { MOST_TRIES } from './settle.ts';

/**
 * token/issued: the right request is answered 200 (4.1), each time. A refusal is a breach where the credentials are known
 * to be right: they obtained a token at another time, or in another way, or the answer speaks of the request itself.
 * Otherwise the likeliest cause is a mistake in the target file, which does not count against the provider.
 */
export async function judgeIssued(context: CheckContext): Promise<void> {
  const { tokens, options, others, exercised, target } = context;
  const asked = [await tokens.first()];
  // Others ask a second time, at their time.
  await others();
  if (options.suite !== 'smoke') asked.push(await tokens.second());
  for (const answer of asked) expectAvailable(context, answer);
  exercised();
  const isRefusal = (answer: TokenAnswer): boolean => answer.status !== 200 || isWebPage(answer);
  const refused = asked.filter(isRefusal);
  const [first] = refused;
  if (first === undefined) return;
  for (let tries = 0; refused.length < 2 && tries < MOST_TRIES; tries++) {
    const again = await tokens.another();
    expectAvailable(context, again);
    if (isRefusal(again)) refused.push(again);
  }
  const [, second] = refused;
  if (second === undefined)
    throw new Undecided(
      { kind: 'intermittent', seen: 1, attempts: asked.length + MOST_TRIES },
      `answered ${first.status} once and 200 the next times`,
    );
  const proof = hasIssued(context) ? OBTAINED_BEFORE : await obtainedOtherwise(context, second);
  const mistake = proof === null ? tokenRefusal(second.exchange, target) : null;
  if (mistake !== null) throw new Undecided(mistake.cause, mistake.sentence, mistake.verdict);
  await confirmServerError(context, second.status, async () => (await tokens.another()).status);
  throw new Violation({
    message: `the token request with the configured credentials was answered ${second.status}; it must be answered 200${proof?.how ?? ''}`,
    expected: 200,
    actual: second.status,
    exchanges: [...refused.map(({ exchange }) => exchange.number), ...(proof?.exchanges ?? [])],
  });
}

/** Throws Undecided where the endpoint is throttled or down. */
function expectAvailable(context: CheckContext, { exchange }: TokenAnswer): void {
  const later = unavailability('the token endpoint', exchange, context.target.limits, !hasIssued(context));
  if (later !== null) throw later;
}

function hasIssued({ tokens }: CheckContext): boolean {
  return tokens.rightAnswers().some((answer) => answer.status === 200 && !isWebPage(answer));
}

/** What shows that the credentials are right. */
interface Proof {
  /** The end of a sentence. */
  readonly how: string;
  readonly exchanges: readonly number[];
}

const OBTAINED_BEFORE: Proof = { how: '', exchanges: [] };

/**
 * Asks once or twice with the same credentials in another way that the answer suggests: by HTTP Basic, as JSON, for one
 * scope alone, or where a redirect leads to. Null where no token is obtained so either.
 */
async function obtainedOtherwise(context: CheckContext, refused: TokenAnswer): Promise<Proof | null> {
  for (const [how, ask] of otherWays(context, refused)) {
    const answer = await ask().catch(() => null);
    if (answer !== null && answer.status === 200 && answer.token !== null)
      return { how: `; the same credentials obtain a token ${how}`, exchanges: [answer.exchange.number] };
  }
  return null;
}

function otherWays(
  { tokens, target }: CheckContext,
  { exchange, status }: TokenAnswer,
): readonly (readonly [how: string, ask: () => Promise<TokenAnswer>])[] {
  const { answer, request } = exchange;
  if (answer === null || status < 300 || status >= 500) return [];
  const form = tokens.rightForm();
  const scopes = target.credentials.scope.split(' ').filter((scope) => scope !== '');
  if (status < 400) {
    const location = headerOf(answer.headers, 'location') ?? '';
    const base = `${request.origin}${request.target}`;
    const url = URL.canParse(location, base) ? new URL(location, base) : null;
    return url?.origin === request.origin && url.pathname !== request.target
      ? [[`at ${url.pathname}`, () => tokens.askAt(url.pathname + url.search)]]
      : [];
  }
  if (oauthError(answer) === 'invalid_scope' && scopes.length > 1)
    return [
      [
        `for the scope ${scopes[0]} alone`,
        () => tokens.ask(form.map(([name, value]) => [name, name === 'scope' ? (scopes[0] ?? '') : value])),
      ],
    ];
  if (status === 404 || status === 405 || status === 410) return [];
  return [
    ['by HTTP Basic', () => tokens.askWithBasic(form)],
    // A second wrong secret in a row is for those answers alone that speak of the body.
    ...(status === 415 || status === 400 ? [['as a JSON body', () => tokens.askAsJson(form)] as const] : []),
  ];
}
