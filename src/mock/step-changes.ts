import { isJsonObject } from '../core/json-text.ts';
import { problem } from './conforming/gate.ts';
import { MAX_PAGE_SIZE } from './conforming/list.ts';
import {
  type Change,
  type EnvelopeParts,
  type Grant,
  type Issued,
  type Page,
  type ReceivedRequest,
  Refused,
  type Service,
  type Steps,
  valuesOf,
  wrap,
} from './pipeline.ts';

/** The members of an object that the provider answers. */
export type Members = Readonly<Record<string, unknown>>;

type LinkParameters = readonly (readonly [name: string, value: string])[];

/** Changes the envelope; `parts` are its members as the provider gives them. */
export function changeEnvelope(
  rewrite: (members: Members, parts: EnvelopeParts, page: Page) => unknown,
): Change {
  return wrap('envelope', (envelope) => (parts, page, service) => {
    const whole = envelope(parts, page, service);
    return isJsonObject(whole) ? rewrite(whole, parts, page) : whole;
  });
}

/** Changes every item. */
export function changeItems(rewrite: (members: Members, record: number, page: Page) => unknown): Change {
  return wrap('item', (item) => (record, page, service) => {
    const whole = item(record, page, service);
    return isJsonObject(whole) ? rewrite(whole, record, page) : whole;
  });
}

/** Changes the text of a list answer. */
export function changeText(rewrite: (json: string) => string | Uint8Array): Change {
  return wrap(
    'serialise',
    (serialise) => (envelope, page, service) =>
      rewrite(Buffer.from(serialise(envelope, page, service)).toString('utf8')),
  );
}

/** Changes count if the page has one. */
export function changeCount(rewrite: (count: number, page: Page, service: Service) => unknown): Change {
  return wrap('count', (count) => (page, service) => {
    const value = count(page, service);
    return typeof value === 'number' ? rewrite(value, page, service) : value;
  });
}

/** Changes whether a page has a link. */
export function changeMore(decide: (more: boolean, page: Page, service: Service) => boolean): Change {
  return wrap('more', (more) => (page, service) => decide(more(page, service), page, service));
}

/** Changes nextPageLink if the page has one. */
export function changeLink(rewrite: (link: string, page: Page, service: Service) => unknown): Change {
  return wrap('link', (link) => (page, service) => {
    const before = link(page, service);
    return typeof before === 'string' ? rewrite(before, page, service) : before;
  });
}

/** Links pages with `$count=true` to the page at the given `$skip`, if there is one. */
export function linkTo(skip: (page: Page, service: Service) => number | undefined): Change {
  return wrap('link', (link) => (page, service) => {
    const target = skip(page, service);
    if (target === undefined || !page.counting) return link(page, service);
    return `${service.steps.linkPath(page, service)}?$count=true&$pagesize=${page.pageSize}&$skip=${target}`;
  });
}

/** Changes the parameters of nextPageLink. */
export function changeLinkParameters(
  rewrite: (parameters: LinkParameters, page: Page, service: Service) => LinkParameters,
): Change {
  return wrap(
    'linkParameters',
    (linkParameters) => (page, service) => rewrite(linkParameters(page, service), page, service),
  );
}

/** Changes the value of one parameter of nextPageLink. */
export function changeLinkValue(name: string, rewrite: (value: string, page: Page) => string): Change {
  return changeLinkParameters((parameters, page) =>
    parameters.map(([one, value]) => [one, one === name ? rewrite(value, page) : value]),
  );
}

/** Changes $skip of nextPageLink. */
export function changeOffset(rewrite: (skip: number, page: Page) => number): Change {
  return changeLinkValue('$skip', (skip, page) => String(rewrite(Number(skip), page)));
}

/** Changes the positions that a page holds and nothing else of the page. */
export function changePositions(
  rewrite: (positions: readonly number[], page: Page) => readonly number[],
): Change {
  return wrap('slice', (slice) => (page, service) => rewrite(slice(page, service), page));
}

/** Changes which record is at a position. */
export function changeRecordAt(rewrite: (position: number, page: Page) => number): Change {
  return wrap(
    'recordAt',
    (recordAt) => (position, page, service) => recordAt(rewrite(position, page), page, service),
  );
}

/** Refuses list calls for which `where` returns true. */
export function refusePages(status: number, title: string, where: (page: Page) => boolean): Change {
  return wrap('slice', (slice) => (page, service) => {
    if (where(page)) throw new Refused(problem(status, title));
    return slice(page, service);
  });
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

/** Replaces the page size if `choose` returns a number. */
export function changePageSize(choose: (page: Page) => number | undefined): Change {
  return wrap('pageSize', (inner) => (page, service) => choose(page) ?? inner(page, service));
}

/** Replaces the number of records on the page. The page size in links stays as requested. */
export function changeRecordCount(choose: (size: number, page: Page) => number): Change {
  return wrap('slice', (slice) => (page, service) => {
    const size = requestedSizeInRange(page);
    const chosen = size === undefined ? size : choose(size, page);
    // An unchanged size must not undo what another defect did.
    return chosen === undefined || chosen === size
      ? slice(page, service)
      : slice({ ...page, pageSize: Math.max(1, chosen) }, service);
  });
}

/** Changes the members of a token answer. */
export function changeTokenBody(
  rewrite: (
    members: Record<string, unknown>,
    issued: Issued,
    grant: Grant,
    service: Service,
  ) => Record<string, unknown>,
): Change {
  return wrap(
    'tokenBody',
    (tokenBody) => (issued, grant, service) =>
      rewrite(tokenBody(issued, grant, service), issued, grant, service),
  );
}

/** Issues the same token to a client until it expires. */
export const reuseTokens: Change = wrap('issue', (issue) => {
  const cached = new Map<string, Issued>();
  return async (grant, service) => {
    const key = `${grant.client.clientId} ${grant.scope}`;
    const known = cached.get(key);
    if (known !== undefined && known.expiresAt > service.now()) return known;
    const fresh = await issue(grant, service);
    cached.set(key, fresh);
    return fresh;
  };
});

/** The steps that decide about one page. */
type PageStep = 'pageSize' | 'total' | 'more' | 'count' | 'link' | 'slice' | 'envelope';

/** Changes one step of list calls for the second client alone. */
export function changeForSecondClient<Name extends PageStep>(
  name: Name,
  around: (inner: Steps[Name]) => Steps[Name],
): Change {
  return (steps) => {
    const theirs = new WeakSet<ReceivedRequest>();
    const usual = steps[name];
    const changed = around(usual);
    const chosen = (...given: readonly unknown[]): unknown => {
      const page = given[name === 'envelope' ? 1 : 0] as Page;
      const step = (theirs.has(page.request) ? changed : usual) as (...given: readonly unknown[]) => unknown;
      return step(...given);
    };
    return {
      ...steps,
      authorize: async (request, service) => {
        const token = service.steps.bearer(request, service);
        const session = token === undefined ? undefined : await service.steps.resolve(token, service);
        if (session?.clientId === service.otherCredentials.clientId) theirs.add(request);
        return steps.authorize(request, service);
      },
      [name]: chosen as Steps[Name],
    };
  };
}
