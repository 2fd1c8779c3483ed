import { MAX_PAGE_SIZE, type Page, type Service, valuesOf } from './pipeline.ts';

/** Selects pages. It may read the fields of a page that are filled before the step at which it is asked. */
export type PageTest = (page: Page, service: Service) => boolean;

export const isCounted: PageTest = ({ counting }) => counting;
export const isFirst: PageTest = ({ skip }) => skip === 0;
/** Behind the first page, as pages that links lead to. */
export const isLinked: PageTest = ({ skip }) => skip > 0;
export const isFull: PageTest = ({ positions, pageSize }) => positions.length === pageSize;
/** Whether records follow, with or without `$count`. */
export const isFollowed: PageTest = (page, service) => service.steps.endOffset(page, service) < page.total;
/** Whether this counted page holds the last record. */
export const isLast: PageTest = (page, service) =>
  page.counting && page.positions.length > 0 && !isFollowed(page, service);
export const isUnsized: PageTest = (page) => requestedSize(page) === undefined;
export const isCountFalse: PageTest = (page) => valuesOf(page, '$count')[0] === 'false';
/** Whether more records than the maximum are requested, so that the page is capped. */
export const isCapped: PageTest = (page) => sizeAboveMaximum(page) !== undefined;
/** Whether `$skip` comes first, as in pages that the checks request without a link. */
export const isByParameters: PageTest = (page) => page.parameters[0]?.name === '$skip';
/** Whether the query has a parameter that the API does not know. */
export const hasUnknownParameter: PageTest = (page) =>
  page.parameters.some(({ name }) => !['$count', '$pagesize', '$skip'].includes(name));

export function has(name: string): PageTest {
  return (page) => valuesOf(page, name).length > 0;
}

/** Whether the query has a parameter whose name is written with %24. */
export function isEncoded(name: string): PageTest {
  return (page) => page.parameters.some(({ rawName }) => rawName === `%24${name}`);
}

export function isOfSize(size: number): PageTest {
  return ({ pageSize }) => pageSize === size;
}

export function isFrom(record: number): PageTest {
  return ({ skip }) => skip >= record;
}

export function not(test: PageTest): PageTest {
  return (page, service) => !test(page, service);
}

/** Whether a page or a request passes every test; without tests it does. */
export function all<Given extends readonly unknown[]>(
  ...tests: readonly ((...given: Given) => boolean)[]
): (...given: Given) => boolean {
  return (...given) => tests.every((test) => test(...given));
}

/** The requested page size as text; undefined if none was requested. */
export function requestedSize(page: Page): string | undefined {
  return valuesOf(page, '$pagesize')[0];
}

/** The requested page size if it is a whole number from 1 to 500, or undefined. */
export function requestedSizeInRange(page: Page): number | undefined {
  const size = Number(requestedSize(page) ?? Number.NaN);
  return Number.isInteger(size) && size >= 1 && size <= MAX_PAGE_SIZE ? size : undefined;
}

/** The requested page size if it is a whole number above 500, or undefined. */
export function sizeAboveMaximum(page: Page): number | undefined {
  const text = requestedSize(page) ?? '';
  return /^\d+$/.test(text) && Number(text) > MAX_PAGE_SIZE ? Number(text) : undefined;
}

/** Whether the client accepts no compressed answer. */
export const isUncompressed: PageTest = ({ request }) => request.headers['accept-encoding'] === 'identity';

export const isEncodedAndCapped = all(isEncoded('pagesize'), isCapped);

/** Pages of fewer records are small: a list with many such pages is rarely traversed. */
export const SMALL_PAGE_SIZE = 60;

export const isDeepAndSmall: PageTest = ({ pageSize, skip }) => skip >= 1000 && pageSize < SMALL_PAGE_SIZE;

/** Whether the request names no page size, or is for a page behind such a request. */
export const isOfUnsizedList: PageTest = (page, service) =>
  !has('$pagesize')(page, service) || has('view')(page, service);
