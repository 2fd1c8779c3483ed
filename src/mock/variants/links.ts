import { sha256 } from '../../core/sha256.ts';
import { problem } from '../conforming/gate.ts';
import { type ReceivedRequest, Refused, type Service, unchanged, valuesOf, wrap } from '../pipeline.ts';
import { changeLink, changeLinkParameters, changeLinkValue, changeText } from '../step-changes.ts';
import { type Variant, variantsOf } from '../variant.ts';

function queryOf(link: string): string {
  return link.slice(link.indexOf('?'));
}

const basePath = { basePath: '/int' };

/** Unusual but conforming links and counts. */
export const linkVariants: readonly Variant[] = variantsOf({
  'link-names-encoded': {
    sentence: 'The parameter names of nextPageLink are written with %24.',
    apply: changeLink((link) => link.replaceAll('$', '%24')),
  },
  'link-size-uncapped': {
    sentence: 'nextPageLink repeats a requested page size above 500, while pages hold 500 records.',
    apply: changeLinkValue('$pagesize', (size, page) => {
      const requested = valuesOf(page, '$pagesize')[0];
      return Number(requested) > 500 ? String(requested) : size;
    }),
  },
  'link-names-as-requested': {
    sentence: 'nextPageLink spells its names with %24 if the request does.',
    apply: changeLink((link, page) => {
      const isEncoded = page.parameters.some(({ rawName }) => rawName.startsWith('%24'));
      return isEncoded ? link.replaceAll('$', '%24') : link;
    }),
  },
  'link-names-half-encoded': {
    sentence: 'Only $skip is written with %24 in nextPageLink.',
    apply: changeLink((link) => link.replace('$skip', '%24skip')),
  },
  'link-order-reversed': {
    sentence: 'nextPageLink gives $skip first and $count last.',
    apply: changeLinkParameters((parameters) => parameters.toReversed()),
  },
  'link-further-parameters': {
    sentence: 'nextPageLink has additional parameters, one of them opaque and one without a value.',
    apply: changeLinkParameters((parameters) => [
      ['api-version', '2024-05-01'],
      ...parameters,
      ['session', 'bG9uZyBvcGFxdWU%3D'],
      ['flag', ''],
    ]),
  },
  'link-bound-to-token': {
    sentence: 'A nextPageLink can be followed only with the token that obtained it.',
    // Milliseconds; long enough for another token to be issued during a traversal.
    options: { latencyMs: 10 },
    apply: (steps) => {
      const mark = (request: ReceivedRequest, service: Service): string =>
        sha256(steps.bearer(request, service) ?? '').slice(0, 16);
      return {
        ...steps,
        linkParameters: (page, service) => [
          ...steps.linkParameters(page, service),
          ['for', mark(page.request, service)],
        ],
        pageSize: (page, service) => {
          const [owner] = valuesOf(page, 'for');
          if (owner !== undefined && owner !== mark(page.request, service))
            throw new Refused(problem(403, 'this link was given to another token'));
          return steps.pageSize(page, service);
        },
      };
    },
  },
  'link-new-each-time': {
    sentence:
      'Each nextPageLink carries a number that no other one carries; all of them can be followed at any time.',
    apply: wrap('linkParameters', (linkParameters) => {
      let links = 0;
      return (...given) => [...linkParameters(...given), ['number', String(++links)]];
    }),
  },
  'link-trailing-ampersand': {
    sentence: 'The query of nextPageLink ends with an ampersand.',
    apply: changeLink((link) => `${link}&`),
  },
  'link-without-leading-slash': {
    sentence: 'nextPageLink begins with v1, without a slash.',
    apply: changeLink((link) => link.slice(1)),
  },
  'link-query-only': {
    sentence: 'nextPageLink is only a query, relative to the list.',
    apply: changeLink(queryOf),
  },
  'link-last-segment': {
    sentence: 'nextPageLink is the last segment of the path with the query.',
    apply: changeLink((link) => `printers${queryOf(link)}`),
  },
  'base-path-left-out': {
    sentence: 'The base URL has a path, and nextPageLink does not contain it.',
    options: basePath,
    apply: unchanged,
  },
  'base-path-given': {
    sentence: 'The base URL has a path, and nextPageLink begins with it.',
    options: basePath,
    apply: changeLink((link) => `/int${link}`),
  },
  'base-path-link-without-slash': {
    sentence: 'The base URL has a path, and nextPageLink begins with v1, without a slash.',
    options: basePath,
    apply: changeLink((link) => link.slice(1)),
  },
  'base-path-link-query-only': {
    sentence: 'The base URL has a path, and nextPageLink is only a query.',
    options: basePath,
    apply: changeLink(queryOf),
  },
  'base-path-link-last-segment': {
    sentence: 'The base URL has a path, and nextPageLink is the last segment of the path with the query.',
    options: basePath,
    apply: changeLink((link) => `printers${queryOf(link)}`),
  },
  'base-path-deep': {
    sentence: 'The base URL has a path of two segments, one of them v1 as in the path of the list.',
    options: { basePath: '/gateway/v1' },
    apply: changeLink((link) => `/gateway/v1${link}`),
  },
  'link-null-at-end': {
    sentence: 'nextPageLink is null instead of missing.',
    apply: wrap('link', (link) => (page, service) => link(page, service) ?? null),
  },
  'count-null-when-disabled': {
    sentence: 'count is null if it is not enabled.',
    apply: wrap('count', (count) => (page, service) => count(page, service) ?? null),
  },
  'count-always': {
    sentence: 'count is given whether or not it is enabled.',
    apply: wrap('count', () => (page) => page.total),
  },
  'count-with-fraction-digits': {
    sentence: 'count is written as 1234.0, which is also an integer.',
    apply: changeText((json) => json.replace(/"count":(\d+)\}$/, '"count":$1.0}')),
  },
});
