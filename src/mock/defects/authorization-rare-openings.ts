import {
  cacheFromUse,
  isAnonymous,
  openGate,
  placeOf,
  queryValue,
  type RequestTest,
} from '../authorization-changes.ts';
import { defectsWith, rareDefectsWith, subtle } from '../catalogue-rows.ts';
import { type Change, composeChanges, rewrite, wrap } from '../changes.ts';
import { requestedSize, setPageSize } from '../page-changes.ts';
import { type Service, textAnswer, withHeaders } from '../pipeline.ts';
import { ofGate } from './authorization-required.ts';

/** Values of $pagesize that are not a whole number from 1. */
const BAD_SIZE = /^(?:0|-\d+|[a-z]+)$/i;

const rareOpenings = rareDefectsWith(ofGate)({
  'gate-open-to-bad-page-size': subtle(
    'Without an Authorization header, records are given if $pagesize is not a whole number from 1.',
  ).by(
    openGate((request) => BAD_SIZE.test(queryValue(request, '$pagesize') ?? '1')),
    // Such a size is taken for the default.
    setPageSize(500, (page) => BAD_SIZE.test(requestedSize(page) ?? '1')),
  ),
  'gate-open-to-other-formats': subtle(
    'Without an Authorization header, records are given if the query asks for a format.',
  ).by(openGate(({ target }) => /[?&]format=/.test(target))),
  'gate-open-to-token-path-in-query': subtle(
    'Without an Authorization header, records are given if /connect/token is anywhere in the URL.',
  ).by(openGate(({ target }) => target.includes('/connect/token'))),
  'gate-open-to-script-suffix': subtle(
    'Without an Authorization header, records are given if the URL ends like that of a script.',
  ).by(openGate(({ target }) => target.endsWith('.js'))),
  'gate-open-to-empty-query': subtle(
    'Without an Authorization header, records are given if the query is empty.',
  ).by(openGate(({ target }) => target.endsWith('?'))),
  'gate-open-to-long-query': subtle(
    'Without an Authorization header, records are given if the URL has more than 1024 characters.',
  ).by(openGate(({ target }) => target.length > 1024)),
  'gate-open-to-preflights': subtle(
    'Without an Authorization header, records are given if the call has the header of a CORS preflight request.',
  ).by(openGate(({ headers }) => headers['access-control-request-method'] !== undefined)),
  'gate-passed-by-rewritten-url': subtle(
    'Without an Authorization header, records are given to a call of / whose X-Original-URL names the list.',
  ).by(
    rewrite('receive', async (answer, request, service) => {
      if (request.path !== `${service.basePath}/`) return answer;
      const original = request.headers['x-original-url'];
      const resource = service.resources.find(({ path }) => service.basePath + path === original);
      return resource === undefined ? answer : service.steps.list(request, resource, service);
    }),
  ),
  'gate-open-to-conditional-calls': subtle(
    'Without an Authorization header, records are given if the call has a condition.',
  ).by(openGate(({ headers }) => headers['if-none-match'] !== undefined)),
  'gate-opened-for-a-slash-at-the-end': subtle(
    'The router ignores a slash at the end of the path, and a cache gives the answer to a call with a token to those without one.',
  ).by(
    wrap(
      'route',
      (route) => (request, service) =>
        route(request, service) ?? route({ ...request, path: request.path.replace(/\/$/, '') }, service),
    ),
    cacheFromUse(1, ({ path }) => path.endsWith('/')),
  ),
  'gate-open-to-demo-tenant': subtle(
    'Without an Authorization header, records are given to the tenant demo.',
  ).by(openGate(({ headers }) => headers['tenant'] === 'demo')),
  'gate-open-to-range-calls': subtle(
    'Without an Authorization header, records are given if the call asks for a range.',
  ).by(openGate(({ headers }) => headers['range'] !== undefined)),
  'gate-open-above-maximum': subtle(
    'Without an Authorization header, records are given if $pagesize is above 500.',
  ).by(openGate((request) => placeOf(request).pageSize > 500)),
});

/** Redirects calls without an Authorization header, and opens the list where they lead. */
function redirectToOpen(
  location: (target: string, service: Service) => string,
  isThere: RequestTest,
): Change {
  return composeChanges(
    wrap('unauthorized', (unauthorized) => (request, service) => {
      if (!isAnonymous(request, service)) return unauthorized(request, service);
      return withHeaders(textAnswer(302), { Location: location(request.target, service) });
    }),
    openGate(isThere),
  );
}

const redirects = defectsWith(ofGate)({
  'gate-redirects-to-signed-link': subtle(
    'A call without an Authorization header is redirected to the same URL with a signature that opens it.',
  ).by(
    redirectToOpen(
      (target) => `${target}${target.includes('?') ? '&' : '?'}sig=7919`,
      (request) => queryValue(request, 'sig') === '7919',
    ),
  ),
  'gate-redirects-guests': subtle(
    'A call without an Authorization header is redirected to the first page of ten records, which is open to guests.',
  ).by(
    redirectToOpen(
      (_target, { basePath, resources: [list] }) => `${basePath}${list?.path}?$pagesize=10&guest=1`,
      (request) => queryValue(request, 'guest') === '1',
    ),
  ),
});

/** Defects that give records without an Authorization header to unusual requests, or where a refusal leads. */
export const rareOpeningDefects = [...rareOpenings, ...redirects];
