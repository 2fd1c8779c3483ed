import { headerOf } from '../src/core/exchange.ts';
import type { Json } from '../src/core/results.ts';
import { type LoggedExchange, trafficOf } from '../src/core/traffic.ts';
import {
  composeObservers,
  type Observer,
  type ObserverContext,
  observe,
  type Seen,
} from '../src/judge/observe.ts';
import { grouped, numbers, parameterIn, tally, words } from '../src/judge/tally.ts';
import { isObject, member } from '../src/provider/body.ts';
import { jwtOf } from '../src/provider/jwt.ts';
import type { Page } from '../src/provider/page.ts';

// Everything here is read from what the checks asked anyway: an observation of this file costs no request.

const tokenObservers = [
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
        advice: 'RFC 6749, section 5.1 asks for Cache-Control: no-store',
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

  observe('observe/token-reuse', 'target', ({ tokens }) => {
    const issued = tokens.rightAnswers().filter(({ token }) => token !== null);
    if (issued.length < 2) return null;
    const distinct = new Set(issued.map(({ token }) => token)).size;
    return {
      value: distinct === issued.length ? 'a new token each time' : 'a token is handed out again',
      detail: { requests: issued.length, tokens: distinct },
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

const refusalObservers = [
  observe('observe/unauthorized-answer', 'list', ({ calls, list }) =>
    refusals(
      calls.filter(
        ({ request }) =>
          headerOf(request.headers, 'authorization') === null && pathOf(request.target) === list.path,
      ),
    ),
  ),

  observe('observe/invalid-token-answer', 'list', ({ calls, tokens }) => {
    const issued = new Set(tokens.rightAnswers().map(({ token }) => `Bearer ${token}`));
    return refusals(
      calls.filter(({ request }) => {
        const given = headerOf(request.headers, 'authorization');
        return given?.startsWith('Bearer ') === true && !issued.has(given);
      }),
    );
  }),
];

const listObservers = [
  observe('observe/content-type', 'list', ({ calls, tokenRequests }) => {
    const answered = [...calls, ...tokenRequests].filter(({ status }) => status === 200);
    if (answered.length === 0) return null;
    const types = tally(
      answered.map(({ answer }) => headerOf(answer?.headers ?? [], 'content-type') ?? 'none'),
    );
    const odd = Object.keys(types).filter((type) => !/^application\/([a-z.+-]+\+)?json\b/i.test(type));
    return { value: Object.keys(types).join(', '), attention: odd.length > 0, detail: { types } };
  }),

  observe('observe/page-size-above-maximum', 'list', ({ looks }) => {
    const above = looks
      .at(0)
      .answers()
      .filter(({ target }) => Number(sizeIn(target) ?? 0) > 500);
    if (above.length === 0) return null;
    const outcomes = tally(
      above.map((answer) =>
        answer.kind === 'page'
          ? answer.itemCount > 500
            ? 'more than 500 given'
            : answer.itemCount === 500
              ? 'capped at 500'
              : `${answer.itemCount} given`
          : `refused with ${answer.status}`,
      ),
    );
    return { value: words(outcomes), detail: { outcomes }, exchanges: above.map(({ exchange }) => exchange) };
  }),

  observe('observe/page-size-invalid', 'list', ({ looks }) => {
    const odd = looks
      .at(0)
      .answers()
      .filter(({ target }) => {
        const size = sizeIn(target);
        return size !== null && !(/^\d+$/.test(size) && Number(size) >= 1 && Number(size) <= 2 ** 31 - 1);
      });
    if (odd.length === 0) return null;
    const detail: { [size: string]: Json } = {};
    for (const answer of odd)
      detail[`$pagesize=${sizeIn(answer.target)}`] =
        answer.kind === 'page' ? `${answer.itemCount} records` : `status ${answer.status}`;
    return {
      value: words(tally(Object.values(detail).map(String))),
      attention: odd.some(({ status }) => status >= 500),
      detail,
      exchanges: odd.map(({ exchange }) => exchange),
    };
  }),

  observe('observe/count-without-enabling', 'list', ({ looks }) => {
    const pages = looks
      .at(0)
      .pages()
      .filter(({ target }) => !/count=true/i.test(target));
    if (pages.length === 0) return null;
    const given = pages.filter(({ count }) => count !== undefined);
    return {
      value:
        given.length === 0
          ? 'no count'
          : given.length === pages.length
            ? 'count is given all the same'
            : 'count is given now and then',
      exchanges: given.slice(0, 5).map(({ exchange }) => exchange),
    };
  }),

  observe('observe/null-members', 'list', ({ looks }) => {
    const pages = looks.at(0).pages();
    const nulls = pages.filter((page) => page.nulls.length > 0);
    const names = [...new Set(nulls.flatMap((page) => page.nulls))];
    if (pages.length === 0) return null;
    return {
      value: names.length === 0 ? 'none' : `${names.join(' and ')} given as null`,
      attention: names.length > 0,
      exchanges: nulls.slice(0, 5).map(({ exchange }) => exchange),
    };
  }),

  observe('observe/further-members', 'list', ({ looks }) => {
    const pages = looks.at(0).pages();
    if (pages.length === 0) return null;
    const envelope = [...new Set(pages.flatMap(({ furtherMembers }) => furtherMembers))].sort();
    return {
      value: envelope.length === 0 ? 'none in the envelope' : envelope.join(', '),
      detail: { envelope },
    };
  }),

  observe('observe/order', 'list', ({ looks }) => {
    const view = looks.at(0);
    const [one, other] = [{ count: true }, {}].map((first) =>
      view.pages().find(({ target }) => target === view.targetOf(first)),
    );
    if (one === undefined || other === undefined || one.itemCount === 0) return null;
    return {
      value: sameOrder(one, other) ? 'the same order each time' : 'another order from one answer to the next',
      exchanges: [one.exchange, other.exchange],
    };
  }),

  observe('observe/compression', 'list', ({ calls }) => {
    const answered = calls.filter(({ status }) => status === 200);
    if (answered.length === 0) return null;
    const codings = tally(
      answered.map(({ answer }) => headerOf(answer?.headers ?? [], 'content-encoding') ?? 'none'),
    );
    return { value: Object.keys(codings).join(', '), detail: { codings } };
  }),

  observe('observe/latency', 'list', ({ calls }) => {
    const answered = calls.filter(({ status }) => status === 200);
    if (answered.length === 0) return null;
    const all = trafficOf(answered).latencyMs;
    const bySize: { [size: string]: Json } = {};
    for (const [size, group] of grouped(answered, ({ request }) => sizeIn(request.target) ?? 'default'))
      bySize[size] = trafficOf(group).latencyMs.p50;
    const byPosition: { [skip: string]: Json } = {};
    for (const [skip, group] of grouped(answered, ({ request }) => skipIn(request.target) ?? '0'))
      byPosition[skip] = trafficOf(group).latencyMs.p50;
    return {
      value: `${all.p50} ms (median), ${all.p95} ms (95 %), ${all.p99} ms (99 %), ${all.max} ms (slowest)`,
      detail: { ...all, medianByPageSize: bySize, medianByOffset: byPosition },
    };
  }),
];

const trafficObservers = [
  observe('observe/rate-limit', 'target', ({ log }) => {
    const limited = log.filter(
      ({ status, answer }) =>
        status === 429 ||
        (answer?.headers ?? []).some(([name]) => /^(x-)?ratelimit|^retry-after$/i.test(name)),
    );
    if (limited.length === 0) return { value: 'none met' };
    const headers = tally(
      limited.flatMap(({ answer }) =>
        (answer?.headers ?? [])
          .map(([name]) => name.toLowerCase())
          .filter((name) => /ratelimit|retry-after/.test(name)),
      ),
    );
    return {
      value: `${limited.filter(({ status }) => status === 429).length} answers of 429`,
      detail: { headers },
      exchanges: numbers(limited),
    };
  }),

  observe('observe/server-errors', 'target', ({ log, secrets }) => {
    const errors = log.filter(({ status }) => status !== null && status >= 500);
    if (errors.length === 0) return { value: 'none met' };
    const requests = tally(
      errors.map(({ status, request }) => {
        // Redacted before it is cut: half a secret is not recognised.
        return `${status} for ${request.method} ${secrets.redact(request.target).slice(0, 120)}`;
      }),
    );
    return {
      value: `${errors.length} ${errors.length === 1 ? 'answer' : 'answers'} of 5xx`,
      attention: true,
      detail: { requests },
      exchanges: numbers(errors),
    };
  }),

  observe('observe/transport', 'target', ({ log, target }) => {
    const answered = log.filter(({ answer }) => answer !== null);
    if (answered.length === 0) return null;
    const versions = [...new Set(answered.map(({ answer }) => `HTTP/${answer?.httpVersion}`))];
    const connections = new Set(answered.map(({ connection }) => connection)).size;
    const plain = [target.authUrl, target.baseUrl].filter(
      (url) => url.startsWith('http:') && !isLoopback(new URL(url).hostname),
    );
    return {
      value: `${versions.join(', ')}, ${connections < answered.length ? 'connections kept alive' : 'a connection for each request'}${plain.length > 0 ? ', plain http' : ''}`,
      attention: plain.length > 0,
      detail: { versions, connections, requests: answered.length, plainHttp: plain },
    };
  }),
];

/** What the specification leaves open, as far as a run shows it. Nothing here ever fails a provider. */
export const observers: readonly Observer[] = composeObservers([
  ...tokenObservers,
  ...refusalObservers,
  ...listObservers,
  ...trafficObservers,
]);

function refusals(calls: readonly LoggedExchange[]): Seen | null {
  const refused = calls.filter(({ status }) => status !== null);
  if (refused.length === 0) return null;
  const answers = tally(
    refused.map(
      ({ status, answer }) =>
        `${status}${headerOf(answer?.headers ?? [], 'www-authenticate') === null ? '' : ' with WWW-Authenticate'}`,
    ),
  );
  const first = refused[0];
  return {
    value: words(answers),
    attention: refused.some(({ status }) => status !== 401),
    detail: {
      answers,
      'WWW-Authenticate': headerOf(first?.answer?.headers ?? [], 'www-authenticate'),
      body: first?.answer?.excerpt ?? '',
      advice: 'RFC 6750, section 3 asks for 401 with a WWW-Authenticate header',
    },
    exchanges: numbers(refused),
  };
}

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

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

function sizeIn(target: string): string | null {
  return parameterIn(target, '$pagesize');
}

function skipIn(target: string): string | null {
  return parameterIn(target, '$skip');
}

function sameOrder(one: Page, other: Page): boolean {
  const length = Math.min(one.itemCount, other.itemCount);
  return one.identities
    .subarray(0, length)
    .every((identity, index) => Object.is(identity, other.identities[index]));
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]';
}
