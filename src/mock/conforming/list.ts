import {
  MAX_PAGE_SIZE,
  type Page,
  type Parameter,
  problem,
  Refused,
  type Steps,
  valuesOf,
} from '../pipeline.ts';
import { recordOf, saltOf } from '../records.ts';

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function parseParameter(pair: string): Parameter {
  const equals = pair.indexOf('=');
  const rawName = equals < 0 ? pair : pair.slice(0, equals);
  return { rawName, name: decode(rawName), value: equals < 0 ? '' : decode(pair.slice(equals + 1)) };
}

/** The value of a parameter; throws Refused if it is given more than once. */
function singleValue(page: Page, name: string): string | undefined {
  const values = valuesOf(page, name);
  if (values.length > 1) throw new Refused(problem(400, `${name} is given more than once`));
  return values[0];
}

/** A whole number without sign, or undefined. Above 2^53 it is not exact; no bound here needs that. */
function parseWholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

const list: Steps['list'] = (request, resource, service) => {
  const { steps } = service;
  const page: Page = {
    request,
    resource,
    parameters: steps.parameters(request, service),
    counting: false,
    pageSize: 0,
    skip: 0,
    total: 0,
    positions: [],
  };
  page.counting = steps.counting(page, service);
  page.pageSize = steps.pageSize(page, service);
  page.skip = steps.skip(page, service);
  page.total = steps.total(page, service);
  page.positions = steps.positions(page, service);
  const items = page.positions.map((position) =>
    steps.item(steps.recordAt(position, page, service), page, service),
  );
  const parts = { items, nextPageLink: steps.link(page, service), count: steps.count(page, service) };
  return steps.pageAnswer(
    steps.serialise(steps.envelope(parts, page, service), page, service),
    page,
    service,
  );
};

/** The steps of GET {base_url}/v1/printers and of the paging rules (specification 4.2 and 4.3). */
export const listSteps = {
  list,
  parameters: (request) =>
    request.query
      .split('&')
      .filter((pair) => pair !== '')
      .map(parseParameter),
  counting: (page) => singleValue(page, '$count')?.toLowerCase() === 'true',
  pageSize: (page) => {
    const text = singleValue(page, '$pagesize');
    if (text === undefined) return MAX_PAGE_SIZE;
    const size = parseWholeNumber(text);
    if (size === undefined || size === 0) {
      throw new Refused(problem(400, '$pagesize must be a whole number from 1'));
    }
    return Math.min(size, MAX_PAGE_SIZE);
  },
  skip: (page) => {
    const text = singleValue(page, '$skip');
    if (text === undefined) return 0;
    const skip = parseWholeNumber(text);
    if (skip === undefined) throw new Refused(problem(400, '$skip must be a whole number from 0'));
    return Math.min(skip, Number.MAX_SAFE_INTEGER);
  },
  total: (page) => page.resource.records,
  positions: (page) => {
    const length = Math.max(0, Math.min(page.pageSize, page.total - page.skip));
    return Array.from({ length }, (_, index) => page.skip + index);
  },
  recordAt: (position) => position,
  item: (record, page, service) => recordOf(record, saltOf(service.seed, page.resource.path)),
  endOffset: (page) => page.skip + page.positions.length,
  more: (page, service) => page.counting && service.steps.endOffset(page, service) < page.total,
  count: (page) => (page.counting ? page.total : undefined),
  linkPath: (page) => page.resource.path,
  linkParameters: (page, service) => [
    ['$count', 'true'],
    ['$pagesize', String(page.pageSize)],
    ['$skip', String(service.steps.endOffset(page, service))],
  ],
  linkQuery: (parameters) => parameters.map(([name, value]) => `${name}=${value}`).join('&'),
  link: (page, service) => {
    const { steps } = service;
    if (!steps.more(page, service)) return undefined;
    const query = steps.linkQuery(steps.linkParameters(page, service), service);
    return query === '' ? steps.linkPath(page, service) : `${steps.linkPath(page, service)}?${query}`;
  },
  // JSON.stringify leaves out undefined members.
  envelope: ({ items, nextPageLink, count }) => ({ items, nextPageLink, count }),
  serialise: (envelope) => JSON.stringify(envelope),
  pageAnswer: (body) => ({
    status: 200,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body,
  }),
} satisfies Partial<Steps>;
