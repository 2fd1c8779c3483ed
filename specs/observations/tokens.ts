import { headerOf } from '../../src/core/exchange.ts';
import { type ObserverContext, observe } from '../../src/judge/observe.ts';
import { numbers, tally, words } from '../../src/judge/tally.ts';
import { isObject, member } from '../../src/provider/json-reader.ts';
import { jwtOf } from '../../src/provider/jwt.ts';

/** What tokens and the answers of their endpoint look like. Read from what the checks asked: none costs a request. */
export const tokenObservers = [
  observe('observe/token-error-answer', 'target', ({ tokenRequests }) => {
    const refused = tokenRequests.filter(({ status }) => status !== null && status !== 200);
    if (refused.length === 0) return null;
    const answers = tally(
      refused.map(({ status, answer }) => `${status} ${errorCodeOf(answer?.excerpt ?? '')}`),
    );
    return { value: words(answers), detail: { answers }, exchanges: numbers(refused) };
  }),

  observe('observe/token-cache-headers', 'target', ({ tokens, tokenRequests }) => {
    const right = numbersOfRight(tokens.rightAnswers());
    const issued = tokenRequests.find(({ number }) => right.includes(number));
    if (issued?.answer == null) return null;
    const control = headerOf(issued.answer.headers, 'cache-control');
    const pragma = headerOf(issued.answer.headers, 'pragma');
    return {
      value: control === null ? 'no Cache-Control' : control,
      attention: control?.toLowerCase().includes('no-store') !== true,
      detail: {
        'Cache-Control': control,
        Pragma: pragma,
      },
      exchanges: [issued.number],
    };
  }),

  observe('observe/token-format', 'target', ({ tokens }) => {
    const answer = tokens.rightAnswers().find(({ token }) => token !== null);
    if (answer?.token == null) return null;
    const jwt = jwtOf(answer.token);
    if (jwt === null) return { value: 'opaque', exchanges: [answer.exchange.number] };
    const { exp, iat, aud } = jwt.payload;
    const lifetime = typeof exp === 'number' && typeof iat === 'number' ? exp - iat : null;
    const differs = lifetime !== null && answer.expiresIn !== null && lifetime !== answer.expiresIn;
    return {
      value: `JWT (${String(jwt.header['alg'])})${differs ? `, exp less iat is ${lifetime} s` : ''}`,
      attention: differs,
      detail: {
        alg: jwt.header['alg'] ?? null,
        aud: aud ?? null,
        lifetimeSeconds: lifetime,
        expiresIn: answer.expiresIn,
      },
      exchanges: [answer.exchange.number],
    };
  }),

  observe('observe/token-reuse', 'target', ({ tokens, calls }) => {
    const issued = tokens.rightAnswers().filter(({ token }) => token !== null);
    if (issued.length < 2) return null;
    const distinct = new Set(issued.map(({ token }) => token)).size;
    const [first, second] = issued;
    const value = distinct === issued.length ? 'a new token each time' : 'a token is handed out again';
    if (first === undefined || second === undefined || distinct < issued.length)
      return {
        value,
        detail: { requests: issued.length, tokens: distinct },
        exchanges: numbersOfRight(issued),
      };
    const later = calls.filter(
      ({ number, request }) =>
        number > second.exchange.number &&
        headerOf(request.headers, 'authorization') === `Bearer ${first.token}`,
    );
    const stays = later.length === 0 ? null : later.some(({ status }) => status === 200);
    const ended = tokens.endings.length;
    return {
      attention: ended > 0 || stays === false,
      value: `${value}${stays === null ? '' : stays ? ', the first one stays valid' : ', and the first one is no longer accepted'}${ended === 0 ? '' : `; ${ended === 1 ? 'a token ended' : `${ended} tokens ended`} before ${ended === 1 ? 'its' : 'their'} time`}`,
      detail: { requests: issued.length, tokens: distinct, firstStaysValid: stays },
      exchanges: numbersOfRight(issued),
    };
  }),

  observe('observe/granted-scope', 'target', ({ tokens, target }) => {
    const answer = tokens.rightAnswers().find(({ token }) => token !== null);
    const granted = answer?.body.ok === true ? member(answer.body.value, 'scope') : undefined;
    if (answer === undefined || typeof granted !== 'string') return null;
    const asked = new Set(target.credentials.scope.split(' '));
    const given = new Set(granted.split(' '));
    const missing = [...asked].filter((scope) => !given.has(scope));
    const further = [...given].filter((scope) => !asked.has(scope));
    const same = missing.length === 0 && further.length === 0;
    return {
      value: same
        ? 'as requested'
        : [
            ...(missing.length > 0 ? [`not granted: ${missing.join(' ')}`] : []),
            ...(further.length > 0 ? [`granted beside: ${further.join(' ')}`] : []),
          ].join('; '),
      detail: { requested: target.credentials.scope, granted },
      exchanges: [answer.exchange.number],
    };
  }),
];

function errorCodeOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const code = isObject(body) ? body['error'] : undefined;
    return typeof code === 'string' ? code : 'without an error code';
  } catch {
    return 'without an error code';
  }
}

function numbersOfRight(answers: ReturnType<ObserverContext['tokens']['rightAnswers']>): readonly number[] {
  return answers.map(({ exchange }) => exchange.number);
}
