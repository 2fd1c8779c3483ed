import { sha256 } from '../../core/sha256.ts';
import { problem } from '../conforming/gate.ts';
import { requestedSize } from '../page-tests.ts';
import {
  composeChanges,
  type ReceivedRequest,
  Refused,
  type Service,
  unchanged,
  valuesOf,
  wrap,
} from '../pipeline.ts';
import {
  addLinkParameter,
  changeLink,
  changeLinkParameters,
  changeLinkValue,
  changeText,
  numberedLinks,
  onPages,
} from '../step-changes.ts';
import { bearerOf } from '../token-changes.ts';
import { type Variant, variant, variantsOf } from '../variant.ts';

function queryOf(link: string): string {
  return link.slice(link.indexOf('?'));
}

/** A text that stands for the token of a request. */
function markOf(request: ReceivedRequest, service: Service): string {
  return sha256(bearerOf(request, service)).slice(0, 16);
}

const encodedNames = changeLink((link) => link.replaceAll('$', '%24'));

const basePath = { basePath: '/int' };

/** Unusual but conforming links and counts. */
export const linkVariants: readonly Variant[] = variantsOf({
  'link-names-encoded': variant('The parameter names of nextPageLink are written with %24.').by(encodedNames),
  'link-size-uncapped': variant(
    'nextPageLink repeats a requested page size above 500, while pages hold 500 records.',
  ).by(
    changeLinkValue('$pagesize', (size, page) => {
      const requested = requestedSize(page);
      return Number(requested) > 500 ? String(requested) : size;
    }),
  ),
  'link-names-as-requested': variant('nextPageLink spells its names with %24 if the request does.').by(
    onPages(({ parameters }) => parameters.some(({ rawName }) => rawName.startsWith('%24')))(encodedNames),
  ),
  'link-names-half-encoded': variant('Only $skip is written with %24 in nextPageLink.').by(
    changeLink((link) => link.replace('$skip', '%24skip')),
  ),
  'link-order-reversed': variant('nextPageLink gives $skip first and $count last.').by(
    changeLinkParameters((parameters) => parameters.toReversed()),
  ),
  'link-further-parameters': variant(
    'nextPageLink has additional parameters, one of them opaque and one without a value.',
  ).by(
    changeLinkParameters((parameters) => [
      ['api-version', '2024-05-01'],
      ...parameters,
      ['session', 'bG9uZyBvcGFxdWU%3D'],
      ['flag', ''],
    ]),
  ),
  'link-bound-to-token': variant('A nextPageLink can be followed only with the token that obtained it.').by(
    composeChanges(
      addLinkParameter('for', ({ request }, service) => markOf(request, service)),
      wrap('pageSize', (pageSize) => (page, service) => {
        const [owner] = valuesOf(page, 'for');
        if (owner !== undefined && owner !== markOf(page.request, service))
          throw new Refused(problem(403, 'this link was given to another token'));
        return pageSize(page, service);
      }),
    ),
    // Milliseconds; long enough for another token to be issued during a traversal.
    { options: { latencyMs: 10 } },
  ),
  'link-new-each-time': variant(
    'Each nextPageLink carries a number that no other one carries; all of them can be followed at any time.',
  ).by(numberedLinks),
  'link-trailing-ampersand': variant('The query of nextPageLink ends with an ampersand.').by(
    changeLink((link) => `${link}&`),
  ),
  'link-without-leading-slash': variant('nextPageLink begins with v1, without a slash.').by(
    changeLink((link) => link.slice(1)),
  ),
  'link-query-only': variant('nextPageLink is only a query, relative to the list.').by(changeLink(queryOf)),
  'link-last-segment': variant('nextPageLink is the last segment of the path with the query.').by(
    changeLink((link) => `printers${queryOf(link)}`),
  ),
  'base-path-left-out': variant('The base URL has a path, and nextPageLink does not contain it.').by(
    unchanged,
    {
      options: basePath,
    },
  ),
  'base-path-given': variant('The base URL has a path, and nextPageLink begins with it.').by(
    changeLink((link) => `/int${link}`),
    { options: basePath },
  ),
  'base-path-link-without-slash': variant(
    'The base URL has a path, and nextPageLink begins with v1, without a slash.',
  ).by(
    changeLink((link) => link.slice(1)),
    { options: basePath },
  ),
  'base-path-link-query-only': variant('The base URL has a path, and nextPageLink is only a query.').by(
    changeLink(queryOf),
    { options: basePath },
  ),
  'base-path-link-last-segment': variant(
    'The base URL has a path, and nextPageLink is the last segment of the path with the query.',
  ).by(
    changeLink((link) => `printers${queryOf(link)}`),
    { options: basePath },
  ),
  'base-path-deep': variant(
    'The base URL has a path of two segments, one of them v1 as in the path of the list.',
  ).by(
    changeLink((link) => `/gateway/v1${link}`),
    { options: { basePath: '/gateway/v1' } },
  ),
  'link-null-at-end': variant('nextPageLink is null instead of missing.').by(
    wrap('link', (link) => (page, service) => link(page, service) ?? null),
  ),
  'count-null-when-disabled': variant('count is null if it is not enabled.').by(
    wrap('count', (count) => (page, service) => count(page, service) ?? null),
  ),
  'count-always': variant('count is given whether or not it is enabled.').by(
    wrap('count', () => (page) => page.total),
  ),
  'count-with-fraction-digits': variant('count is written as 1234.0, which is also an integer.').by(
    changeText((json) => json.replace(/"count":(\d+)\}$/, '"count":$1.0}')),
  ),
});
