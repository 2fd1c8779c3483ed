import { answerUnauthorized, headerOf } from '../authorization-changes.ts';
import { type VariantRow, variant, variantsOf } from '../catalogue-rows.ts';
import { answerListCalls, answerRequests, type Change, composeChanges, rewrite, wrap } from '../changes.ts';
import {
  answerPages,
  cacheAnswers,
  changeCount,
  changeItems,
  changeLinkValue,
  changeOffset,
  hasUnknownParameter,
  isCapped,
  isCounted,
  isLinked,
  not,
  onPages,
  type PageTest,
  refusePages,
  requestedSize,
  setPageSize,
  withoutCount,
  withoutLink,
  withoutRecords,
} from '../page-changes.ts';
import { type Answer, type Page, problem, Refused, TOKEN_PATH, textAnswer, valuesOf } from '../pipeline.ts';

function unauthorizedVariant(words: string, answer: Answer): VariantRow {
  return variant(`A call without a valid token is answered ${words}.`).by(answerUnauthorized(answer));
}

const WORDS = ['unauthorized', 'access', 'please', 'authenticate', 'printers'];

const isPastEnd: PageTest = ({ skip, total }) => skip > 0 && skip >= total;

function html(status: number, body: string): Answer {
  return textAnswer(status, body, 'text/html; charset=utf-8');
}

function json(status: number, body: string): Answer {
  return textAnswer(status, body, 'application/json');
}

/** A gateway in front, which answers paths of no service itself, before it looks for a token. */
function gatewayVariant(answer: Answer): VariantRow {
  return variant(`A gateway answers ${answer.status} to every path that leads to no service.`).by(
    answerRequests((request, service) => {
      const isKnown = request.path === TOKEN_PATH || service.steps.route(request, service) !== undefined;
      return isKnown ? undefined : answer;
    }),
  );
}

const unauthorizedVariants = variantsOf({
  'unauthorized-400': unauthorizedVariant('400 with a problem', problem(400, 'no token')),
  'unauthorized-403': unauthorizedVariant('403 with a problem', problem(403, 'no')),
  'unauthorized-404': unauthorizedVariant('404 as if there were no such list', problem(404, 'nothing here')),
  'unauthorized-302': unauthorizedVariant('with a redirect to a login page', {
    status: 302,
    headers: {
      Location: 'https://login.provider.example/?return=%2Fv1%2Fprinters',
      'Content-Type': 'text/html; charset=utf-8',
    },
    body: '<a href="https://login.provider.example/">Found</a>',
  }),
  'unauthorized-502': unauthorizedVariant('502 by a gateway', problem(502, 'Bad Gateway')),
  'elsewhere-502': gatewayVariant(problem(502, 'Bad Gateway')),
  'elsewhere-503': gatewayVariant(problem(503, 'no upstream', { 'Retry-After': '1' })),
  'unauthorized-empty': unauthorizedVariant('401 without a body or a challenge', textAnswer(401)),
  'unauthorized-plain': unauthorizedVariant('401 with plain text', {
    status: 401,
    headers: { 'Content-Type': 'text/plain', 'WWW-Authenticate': 'Bearer realm="api", Basic realm="old"' },
    body: 'Unauthorized',
  }),
  'unauthorized-html': unauthorizedVariant('401 with an HTML page', html(401, '<h1>Sign in</h1>')),
  'unauthorized-empty-items': unauthorizedVariant(
    '401 with an envelope whose items are empty',
    json(401, '{"items":[],"error":"unauthorized"}'),
  ),
  'unauthorized-error-list': unauthorizedVariant(
    '401 with an array of errors',
    json(401, '[{"id":"e-401","code":"INVALID_SESSION","message":"Session expired or invalid"}]'),
  ),
  'unauthorized-error-items': unauthorizedVariant(
    '401 with an envelope whose items are errors',
    json(401, '{"items":[{"code":"unauthorized","message":"no token"}],"count":1}'),
  ),
  'unauthorized-error-named': unauthorizedVariant(
    '401 with an array of errors that have an id and a displayName',
    json(401, '[{"id":"e-401","displayName":"Unauthorized"}]'),
  ),
  'unauthorized-error-items-named': unauthorizedVariant(
    '401 with an envelope whose items are errors with an id and a displayName',
    json(
      401,
      '{"items":[{"id":"e-401","displayName":"Unauthorized"},{"id":"e-402","displayName":"No token"}]}',
    ),
  ),
  'unauthorized-errors-like-records': unauthorizedVariant(
    '401 with an array of errors that have all members of a record',
    json(401, '[{"id":"E401","displayName":"Unauthorized","agent":"gateway"}]'),
  ),
  'unauthorized-samples-like-records': unauthorizedVariant(
    '401 with an envelope whose item is a sample with all members of a record',
    json(401, '{"items":[{"id":"0","displayName":"demo","agent":"demo"}]}'),
  ),
  'unauthorized-words-are-identifiers': variant(
    'Identifiers of the first records are words that the 401 answer also contains.',
  ).by(
    changeItems((members, record) => ({ ...members, id: WORDS[record] ?? members['id'] })),
    answerUnauthorized(problem(401, `${WORDS.join(' ')} for this list`)),
  ),
  'unauthorized-500': unauthorizedVariant(
    '500 because the missing token causes an exception',
    problem(500, 'token was null'),
  ),
});

/** Gives another answer to the queries that pass the test, before their page size is read. */
function answerQueries(answer: Answer, where: PageTest): Change {
  return wrap('pageSize', (pageSize) => (page, service) => {
    if (where(page, service)) throw new Refused(answer);
    return pageSize(page, service);
  });
}

function notServed(status: number): Answer {
  return problem(status, 'this query is not served');
}

/** Replaces the refusal of page sizes that are not whole numbers from 1. */
function replaceInvalidSizes(instead: (page: Page) => number): Change {
  return wrap('pageSize', (pageSize) => (page, service) => {
    try {
      return pageSize(page, service);
    } catch (error) {
      if (error instanceof Refused) return instead(page);
      throw error;
    }
  });
}

function isInvalidSize(page: Page): boolean {
  const size = requestedSize(page);
  return size !== undefined && !/^[1-9]\d*$/.test(size);
}

const ERROR_200 = json(200, '{"error":{"code":"InvalidQuery","message":"this query is not served"}}');

const FORMAT_ERROR = 'System.FormatException: the input was not in a correct format';

function failWith(status: number): never {
  throw new Refused(problem(status, FORMAT_ERROR));
}

const sizes = variantsOf({
  'above-maximum-400': variant('A page size above 500 is answered 400.').by(
    answerQueries(notServed(400), isCapped),
  ),
  'above-maximum-422': variant('A page size above 500 is answered 422.').by(
    answerQueries(notServed(422), isCapped),
  ),
  'above-maximum-500': variant('A page size above 500 causes a server error: 500.').by(
    answerQueries(notServed(500), isCapped),
  ),
  'above-maximum-503': variant('A page size above 500 is answered 503, as by a gateway.').by(
    answerQueries(notServed(503), isCapped),
  ),
  'above-maximum-100': variant('A page size above 500 gives pages of 100.').by(setPageSize(100, isCapped)),
  'above-maximum-200-error': variant('A page size above 500 is answered 200 with an error object.').by(
    answerQueries(ERROR_200, isCapped),
  ),
  'above-maximum-empty': variant('A page size above 500 gives an empty page without a count.').by(
    answerQueries(json(200, '{"items":[]}'), isCapped),
  ),
  'above-maximum-empty-with-count': variant(
    'A page size above 500 gives an empty page with the count of the list.',
  ).by(composeChanges(withoutRecords(isCapped), withoutLink(isCapped))),
  'unaligned-skip-400': variant('A $skip that is not a multiple of $pagesize is answered 400.').by(
    refusePages(400, FORMAT_ERROR, ({ skip, pageSize }) => skip % pageSize !== 0),
  ),
  'invalid-size-default': variant('A page size that is not a whole number from 1 is ignored.').by(
    replaceInvalidSizes(() => 500),
  ),
  'invalid-size-one': variant('A page size that is not a whole number from 1 counts as 1.').by(
    replaceInvalidSizes(() => 1),
  ),
  'invalid-size-clamped-in-link': variant(
    'A page size that is not a whole number from 1 is ignored, and the link has $pagesize=1.',
  ).by(
    replaceInvalidSizes(() => 500),
    changeLinkValue('$pagesize', (size, page) => (isInvalidSize(page) ? '1' : size)),
  ),
  'invalid-size-negative-offset': variant(
    'A page size that is not a whole number from 1 gives no records and a link with a negative $skip.',
  ).by(
    replaceInvalidSizes(() => 0),
    changeOffset((skip, page) => (isInvalidSize(page) ? -1 : skip)),
  ),
  'invalid-size-500': variant('A page size that is not a whole number from 1 is answered 500.').by(
    replaceInvalidSizes(() => failWith(500)),
  ),
  'invalid-size-502': variant(
    'A page size that is not a whole number from 1 makes the gateway answer 502.',
  ).by(replaceInvalidSizes(() => failWith(502))),
  'invalid-size-200-html': variant(
    'A page size that is not a whole number from 1 is answered 200 with an HTML page.',
  ).by(
    replaceInvalidSizes(() => {
      throw new Refused(html(200, '<h1>Something went wrong</h1>'));
    }),
  ),
});

const queries = variantsOf({
  'unknown-parameter-refused': variant('An unknown parameter is answered 400.').by(
    answerQueries(notServed(400), hasUnknownParameter),
  ),
  'skip-without-count-400': variant('A $skip without $count=true is answered 400.').by(
    refusePages(400, '$skip needs $count=true', isLinked, not(isCounted)),
  ),
  'skip-beyond-end-404': variant('A $skip at or past the end is answered 404.').by(
    refusePages(404, 'no such page', isPastEnd),
  ),
  'skip-beyond-end-200-error': variant('A $skip past the end is answered 200 with an error object.').by(
    answerPages(ERROR_200, ({ skip, total }) => skip > total),
  ),
  'count-zero-beyond-end': variant('A page past the end has count 0, as COUNT(*) OVER () gives.').by(
    onPages(isPastEnd)(changeCount(() => 0)),
  ),
  'count-absent-beyond-end': variant('A page past the end has no count.').by(
    onPages(isPastEnd)(withoutCount),
  ),
  'count-lenient': variant('$count is also enabled by 1, by yes and without a value.').by(
    rewrite('counting', (isCounting, page) => {
      const value = valuesOf(page, '$count')[0];
      return value === undefined ? isCounting : ['true', '1', 'yes', ''].includes(value.toLowerCase());
    }),
  ),
  'count-strict': variant('$count is answered 400 unless it is exactly true or false.').by(
    rewrite('counting', (isCounting, page) => {
      const value = valuesOf(page, '$count')[0];
      if (value !== undefined && value !== 'true' && value !== 'false') failWith(400);
      return isCounting;
    }),
  ),
  'parameter-last-wins': variant('If a parameter is given twice, the last one counts.').by(
    rewrite('parameters', (given) =>
      given.filter(({ name }, index) => !given.slice(index + 1).some((later) => later.name === name)),
    ),
  ),
});

/** Refuses authorized list calls of whose header `isGood` is false. */
function requireHeader(status: number, name: string, isGood: (value: string | undefined) => boolean): Change {
  return answerListCalls(({ headers }) =>
    isGood(headers[name]?.toString()) ? undefined : problem(status, `${name} is not right`),
  );
}

/** Gives other tenants than the expected one a list of another length. */
function listOfOtherTenants(records: number): Change {
  return rewrite('total', (total, { request }) =>
    request.headers['tenant'] === 'reference' ? total : records,
  );
}

const headers = variantsOf({
  'tenant-demanded': variant('A list call without Tenant is answered 400.').by(
    requireHeader(400, 'tenant', (value) => value !== undefined),
  ),
  'tenant-checked': variant('A list call with another Tenant than the expected one is answered 403.').by(
    requireHeader(403, 'tenant', (value) => value === 'reference'),
  ),
  'tenant-unknown-empty': variant('The list of another Tenant than the expected one is empty.').by(
    listOfOtherTenants(0),
  ),
  'tenant-unknown-empty-cached': variant(
    'The list of another Tenant than the expected one is empty, and a cache takes no notice of Tenant.',
  ).by(
    listOfOtherTenants(0),
    cacheAnswers(({ target }) => target),
  ),
  'tenant-unknown-short': variant('The list of another Tenant than the expected one holds three records.').by(
    listOfOtherTenants(3),
  ),
  'accept-checked': variant('A list call that does not accept application/json is answered 406.').by(
    requireHeader(406, 'accept', (value) => value?.includes('application/json') === true),
  ),
  'scheme-exact': variant('The scheme is accepted in the letter case Bearer only.').by(
    rewrite('bearer', (token, request) => (headerOf(request).startsWith('Bearer ') ? token : undefined)),
  ),
  'methods-open': variant('HEAD and OPTIONS are answered 200 without a token and without a body.').by(
    answerRequests(({ method }) =>
      method === 'HEAD' || method === 'OPTIONS'
        ? { status: 200, headers: { Allow: 'GET, HEAD, OPTIONS' }, body: '' }
        : undefined,
    ),
  ),
  'query-checked-before-gate': variant('An invalid query is answered 400 even without a token.').by(
    wrap('authorize', (authorize) => async (request, service) => {
      if (/pagesize=(0|-|[a-z])/.test(request.query)) failWith(400);
      return authorize(request, service);
    }),
  ),
});

/** Unusual but conforming answers where the specification leaves a choice. */
export const answerVariants = [...unauthorizedVariants, ...sizes, ...queries, ...headers];
