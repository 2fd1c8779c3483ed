import type { DefectDraft } from '../defect.ts';
import { wrap } from '../pipeline.ts';

/** Breaches that show in one corner only: each was found to pass where a single condition of a check was taken away. */
export const edgeCaseDefects: readonly DefectDraft[] = [
  {
    id: 'token-cached-constant-1800',
    sentence: 'One cached token is handed out again and again with a constant expires_in of 1800.',
    keywords: ['expires_in', '1800'],
    must: ['token/validity'],
    difficulty: 'subtle',
    apply: (steps) => {
      const cached = new Map<string, ReturnType<typeof steps.issue>>();
      return {
        ...steps,
        issue: (grant, service) => {
          const known = cached.get(grant.client.clientId) ?? steps.issue(grant, service);
          cached.set(grant.client.clientId, known);
          return known;
        },
        tokenBody: (issued, grant, service) => ({
          ...steps.tokenBody(issued, grant, service),
          expires_in: 1800,
        }),
      };
    },
  },
  {
    id: 'encoded-count-too-high',
    sentence: 'count is one too high where $count is written with %24.',
    keywords: ['%24', 'count'],
    must: ['page-size/encoded-name'],
    difficulty: 'subtle',
    apply: wrap('count', (count) => (page, service) => {
      const value = count(page, service);
      const encoded = page.parameters.some(({ rawName }) => rawName === '%24count');
      return encoded && typeof value === 'number' ? value + 1 : value;
    }),
  },
  {
    id: 'link-empty-before-the-last-page',
    sentence: 'nextPageLink is an empty string on the page before the last.',
    keywords: ['nextpagelink'],
    must: ['link/present-when-more'],
    difficulty: 'subtle',
    apply: wrap('link', (link) => (page, service) => {
      const before = link(page, service);
      const left = page.total - service.steps.endOffset(page, service);
      return before !== undefined && left <= page.pageSize ? '' : before;
    }),
  },
  {
    id: 'link-at-end-of-small-pages',
    sentence: 'The last page gives a nextPageLink where it is full and smaller than 20.',
    keywords: ['nextpagelink'],
    must: ['link/absent-at-the-end'],
    difficulty: 'subtle',
    apply: wrap('more', (more) => (page, service) => {
      const full = page.positions.length === page.pageSize && page.pageSize < 20;
      const atTheEnd = page.counting && service.steps.endOffset(page, service) === page.total;
      return more(page, service) || (full && atTheEnd);
    }),
  },
  {
    id: 'skip-hexadecimal',
    sentence: '$skip of nextPageLink is a hexadecimal number.',
    keywords: ['$skip'],
    must: ['link/offset'],
    may: ['traversal/followable'],
    difficulty: 'hidden',
    apply: wrap(
      'linkParameters',
      (linkParameters) => (page, service) =>
        linkParameters(page, service).map(([name, value]) =>
          name === '$skip' ? [name, `0x${Number(value).toString(16)}`] : [name, value],
        ),
    ),
  },
  {
    id: 'records-others-without-count',
    sentence: 'Without $count the records are others than with it.',
    keywords: ['record'],
    must: ['traversal/same-records'],
    difficulty: 'subtle',
    apply: wrap('recordAt', (recordAt) => (position, page, service) => {
      const record = recordAt(position, page, service);
      return page.counting ? record : record + page.total;
    }),
  },
];
