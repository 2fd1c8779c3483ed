import { headerOf } from '../core/exchange.ts';
import { isAboutTenant, oauthError } from './refusal-wording.ts';
import type { TokenAnswer } from './token-answer.ts';
import type { TokenClient } from './token-client.ts';
import { type Form, PERCENT_BLANKS, USUAL_SPELLING } from './token-spellings.ts';

/** Another way to send the configured credentials. */
interface OtherRequest {
  /** What differs, to follow "obtain a token". */
  readonly how: string;
  readonly send: () => Promise<TokenAnswer>;
}

/** Scopes that are requested one by one at most. */
const MAX_SCOPES = 10;

/** The answer to the request for a scope alone that obtains no token, which may be mistyped; the last one if each does. */
async function requestEachScope(
  { endpoint }: TokenClient,
  form: Form,
  scopes: readonly string[],
): Promise<TokenAnswer> {
  const request = (scope: string): Promise<TokenAnswer> =>
    endpoint.ask(form.map(([name, value]) => [name, name === 'scope' ? scope : value] as const));
  const [first = '', ...others] = scopes;
  let answer = await request(first);
  for (const scope of others) if (answer.token !== null) answer = await request(scope);
  return answer;
}

/**
 * The valid request with %20 for the blanks between scopes; none if the scope has no blank, or the refusal is not about the
 * body, or about the client: then a mistyped secret is likelier, which is not to be sent often.
 */
export function requestsWithPercentBlanks(
  { endpoint }: TokenClient,
  { status, exchange }: TokenAnswer,
): readonly OtherRequest[] {
  const form = endpoint.validForm();
  const isAboutClient = exchange.answer !== null && oauthError(exchange.answer) === 'invalid_client';
  const isAboutBody = !isAboutClient && (status === 400 || status === 401);
  if (!isAboutBody || PERCENT_BLANKS.body(form) === USUAL_SPELLING.body(form)) return [];
  return [{ how: PERCENT_BLANKS.how, send: () => endpoint.sendValid(form, PERCENT_BLANKS) }];
}

/**
 * Other ways to send the same credentials, as far as a refusal suggests them: with other escapes, by HTTP Basic or as JSON;
 * with a character encoding or a tenant in its headers; with a secret that is encoded twice; for each scope alone; or to the
 * path that a redirect names. At most six; none for answers from which nothing can be concluded.
 */
export function otherTokenRequests(tokens: TokenClient, refused: TokenAnswer): readonly OtherRequest[] {
  const { endpoint, target } = tokens;
  const { status } = refused;
  const { answer, request } = refused.exchange;
  if (answer === null || status < 300 || status >= 500) return [];
  if (status < 400) {
    const location = headerOf(answer.headers, 'location') ?? '';
    const base = `${request.origin}${request.target}`;
    const url = URL.canParse(location, base) ? new URL(location, base) : null;
    return url?.origin === request.origin && url.pathname !== request.target
      ? [{ how: `at ${url.pathname}`, send: () => endpoint.askAt(url.pathname + url.search) }]
      : [];
  }
  const form = endpoint.validForm();
  const percentBlanks = requestsWithPercentBlanks(tokens, refused);
  const scopes = target.credentials.scope.split(' ');
  if (oauthError(answer) === 'invalid_scope' && scopes.length > 1 && scopes.length <= MAX_SCOPES)
    return [
      ...percentBlanks,
      { how: 'for each of the scopes alone', send: () => requestEachScope(tokens, form, scopes) },
    ];
  if (status === 404 || status === 405 || status === 410) return [];
  const { tenant } = target;
  const { clientSecret } = target.credentials;
  const isAboutBody = status === 400 || status === 415;
  const isTenantRefusal = tenant !== null && (status === 400 || isAboutTenant(answer));
  const twice = {
    how: 'with its client_secret form-encoded twice',
    send: () => endpoint.askWithSecretEncodedTwice(form),
  };
  // Only these statuses may be about the body. For any other status a second wrong secret in a row is not sent.
  return [
    ...percentBlanks,
    { how: 'by HTTP Basic', send: () => endpoint.askWithBasic(form) },
    ...(isAboutBody
      ? [
          { how: 'as a JSON body', send: () => endpoint.askAsJson(form) },
          {
            how: 'with charset=utf-8 in the Content-Type header',
            send: () =>
              endpoint.askWithHeader(['Content-Type', 'application/x-www-form-urlencoded; charset=utf-8']),
          },
        ]
      : []),
    ...(isTenantRefusal
      ? [{ how: 'with a Tenant header', send: () => endpoint.askWithHeader(['Tenant', tenant]) }]
      : []),
    ...(/^[\w.~*-]*$/.test(clientSecret) ? [] : [twice]),
  ];
}
