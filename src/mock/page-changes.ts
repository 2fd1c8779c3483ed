import { isJsonObject } from '../core/json-text.ts';
import { getOrMake } from '../core/maps.ts';
import { type Change, composeChanges, counting, onCalls, rewrite, withState, wrap } from './changes.ts';
import {
  type Answer,
  type EnvelopeParts,
  MAX_PAGE_SIZE,
  type NextPageLink,
  type Page,
  problem,
  type ReceivedRequest,
  Refused,
  type Service,
  type Steps,
  valuesOf,
} from './pipeline.ts';

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

export type Members = Readonly<Record<string, unknown>>;

/** Changes the envelope; `parts` are its members as the provider gives them. */
export function changeEnvelope(
  change: (members: Members, parts: EnvelopeParts, page: Page) => unknown,
): Change {
  return rewrite('envelope', (whole, parts, page) =>
    isJsonObject(whole) ? change(whole, parts, page) : whole,
  );
}

export const bareArray = changeEnvelope((_members, parts) => parts.items);

export function renameEnvelopeMember(from: string, to: string): Change {
  return changeEnvelope((members) =>
    Object.fromEntries(Object.entries(members).map(([name, value]) => [name === from ? to : name, value])),
  );
}

export function changeItems(change: (members: Members, record: number, page: Page) => unknown): Change {
  return rewrite('item', (whole, record, page) =>
    isJsonObject(whole) ? change(whole, record, page) : whole,
  );
}

export function setItemMembers(members: Members): Change {
  return changeItems((item) => ({ ...item, ...members }));
}

export function changeText(change: (json: string) => string | Uint8Array): Change {
  return rewrite('serialise', (text) => change(Buffer.from(text).toString('utf8')));
}

export function changeCount(change: (count: number, page: Page, service: Service) => unknown): Change {
  return rewrite('count', (count, page, service) =>
    typeof count === 'number' ? change(count, page, service) : count,
  );
}

export const withoutCount = changeCount(() => undefined);

export function addToCount(by: number): Change {
  return changeCount((count) => count + by);
}

export const countOfPage = changeCount((_count, page) => page.positions.length);

/** No link on pages that pass the tests. */
export function withoutLink(...where: readonly PageTest[]): Change {
  return rewrite('more', (more, page, service) => more && !all(...where)(page, service));
}

/** A link on pages that pass the tests, also where nothing follows. */
export function withLink(...where: readonly PageTest[]): Change {
  return rewrite('more', (more, page, service) => more || all(...where)(page, service));
}

export function changeLink(change: (link: string, page: Page, service: Service) => NextPageLink): Change {
  return rewrite('link', (link, page, service) =>
    typeof link === 'string' ? change(link, page, service) : link,
  );
}

export const emptyLink = changeLink(() => '');
export const absoluteLink = changeLink((link, _page, service) => service.origin + link);

/** Links pages with `$count=true` to the page at the given `$skip`, if there is one. */
export function linkTo(skip: (page: Page, service: Service) => number | undefined): Change {
  return wrap('link', (link) => (page, service) => {
    const target = skip(page, service);
    if (target === undefined || !page.counting) return link(page, service);
    return `${service.steps.linkPath(page, service)}?$count=true&$pagesize=${page.pageSize}&$skip=${target}`;
  });
}

type LinkParameters = ReturnType<Steps['linkParameters']>;

export function changeLinkParameters(
  change: (pairs: LinkParameters, page: Page, service: Service) => LinkParameters,
): Change {
  return rewrite('linkParameters', change);
}

/** Appends a parameter to nextPageLink. */
export function addLinkParameter(name: string, value: (page: Page, service: Service) => unknown): Change {
  return changeLinkParameters((pairs, page, service) => [...pairs, [name, String(value(page, service))]]);
}

/** Every link carries a number that no other one carries. That alone is allowed. */
export const numberedLinks = counting((count) => addLinkParameter('number', () => count()));

export function removeLinkParameter(name: string): Change {
  return changeLinkParameters((pairs) => pairs.filter(([one]) => one !== name));
}

export function changeLinkValue(name: string, change: (value: string, page: Page) => string): Change {
  return changeLinkParameters((pairs, page) =>
    pairs.map(([one, value]) => [one, one === name ? change(value, page) : value]),
  );
}

export function setLinkValue(name: string, value: string): Change {
  return changeLinkValue(name, () => value);
}

export function changeOffset(change: (skip: number, page: Page) => number): Change {
  return changeLinkValue('$skip', (skip, page) => String(change(Number(skip), page)));
}

export function addToOffset(by: number): Change {
  return changeOffset((skip) => skip + by);
}

/** The offset of the next page as if this page were complete. */
export const nominalEndOffset = wrap('endOffset', () => ({ skip, pageSize, total }) => {
  return Math.min(skip + pageSize, total);
});

/** Links computed by arithmetic up to `total`, as if every page were full. */
export function linkUntil(total: (page: Page, service: Service) => number): Change {
  return composeChanges(
    wrap('endOffset', () => (page) => page.skip + page.pageSize),
    wrap('more', () => (page, service) => page.counting && page.skip + page.pageSize < total(page, service)),
  );
}

export function changeRecordAt(change: (position: number, page: Page) => number): Change {
  return wrap('recordAt', (recordAt) => (position, page, service) => {
    return recordAt(change(position, page), page, service);
  });
}

/** Changes which records a page gives, all in one step. */
export function changePositions(change: (position: number, page: Page) => number): Change {
  return rewrite('positions', (positions, page) => positions.map((position) => change(position, page)));
}

/** Gives another record in the place of the first one, unless the page is empty. */
export function changeFirstPosition(choose: (page: Page) => number): Change {
  return rewrite('positions', (positions, page) =>
    positions.length === 0 ? positions : positions.with(0, choose(page)),
  );
}

/** Moves the positions that a page holds; those past the end are left out. */
export function movePositions(by: number): Change {
  return rewrite('positions', (positions, { total }) =>
    positions.map((position) => position + by).filter((position) => position < total),
  );
}

/** Gives another answer to the list calls that pass the tests. */
export function answerPages(answer: Answer, ...where: readonly PageTest[]): Change {
  return rewrite('positions', (positions, page, service) => {
    if (all(...where)(page, service)) throw new Refused(answer);
    return positions;
  });
}

/** Refuses list calls that repeat one within a second. */
export function refuseRepetitions(status: number, title: string): Change {
  return withState(Map<string, number>, (usedAt) =>
    refusePages(status, title, ({ request: { target } }) => {
      const now = performance.now();
      const isSoon = now < (usedAt.get(target) ?? Number.NEGATIVE_INFINITY) + 1000;
      if (!isSoon) usedAt.set(target, now);
      return isSoon;
    }),
  );
}

/** Refuses the list calls that pass the tests. */
export function refusePages(status: number, title: string, ...where: readonly PageTest[]): Change {
  return answerPages(problem(status, title), ...where);
}

export function withoutRecords(...where: readonly PageTest[]): Change {
  return onPages(...where)(rewrite('positions', () => []));
}

/** Gives the first answer of the list with a key to all later calls with that key. */
export function cacheAnswers(keyOf: (request: ReceivedRequest) => string): Change {
  return wrap('list', (list) => {
    const known = new Map<string, Answer>();
    return (request, resource, service) =>
      getOrMake(known, keyOf(request), () => list(request, resource, service));
  });
}

/** Keeps the pages of the list, by what `keyOf` makes of the query. */
export function cachePages(keyOf: (query: URLSearchParams) => string): Change {
  return cacheAnswers(({ query }) => keyOf(new URLSearchParams(query)));
}

export function changePageSize(choose: (page: Page) => number | undefined): Change {
  return wrap('pageSize', (pageSize) => (page, service) => choose(page) ?? pageSize(page, service));
}

/** A page size that no list exceeds. */
export const ALL_RECORDS = 1e9;

/** Gives pages of another size if they pass the tests, whatever is requested. */
export function setPageSize(size: number, ...where: readonly PageTest[]): Change {
  return onPages(...where)(wrap('pageSize', () => () => size));
}

/** Replaces the number of records on the page if `choose` returns a number. The page size in links stays as requested. */
export function changeRecordCount(choose: (size: number, page: Page) => number | undefined): Change {
  return wrap('positions', (positions) => (page, service) => {
    const size = requestedSizeInRange(page);
    const chosen = size === undefined ? size : choose(size, page);
    // An unchanged size must not undo what another defect did.
    return chosen === undefined || chosen === size
      ? positions(page, service)
      : positions({ ...page, pageSize: Math.max(1, chosen) }, service);
  });
}

export function addToRecordCount(by: number): Change {
  return changeRecordCount((size) => size + by);
}

export function changeRecordCountAt(size: number, records: number): Change {
  return changeRecordCount((requested) => (requested === size ? records : undefined));
}

/** Makes a change for the pages that pass the tests only. Each step that it changes has a page. */
export function onPages(...where: readonly PageTest[]): (change: Change) => Change {
  // The last arguments of such a step are the page and the service.
  return onCalls((...given) => all(...where)(given.at(-2) as Page, given.at(-1) as Service));
}

/** Makes a change of pages at some of the times that their URL is requested, counted from 1. */
export function onTimes(isChanged: (time: number) => boolean): (change: Change) => Change {
  return (change) => counting((count) => onPages(({ request }) => isChanged(count(request.target)))(change));
}

export const onFirstTime = onTimes((time) => time === 1);
export const whenRepeated = onTimes((time) => time > 1);
