import type { DefectDraft, Difficulty } from '../defect.ts';
import { type Change, type Page, Refused, wrap } from '../pipeline.ts';
import { changeLink, changeLinkParameters, changeMore, changeRecordCount } from '../step-changes.ts';

/** Replaces the name of a parameter written with %24; undefined drops the parameter. */
function encoded(treat: (name: string, index: number, query: string) => string | undefined): Change {
  return wrap(
    'parameters',
    (parameters) => (request, service) =>
      parameters(request, service).flatMap((parameter, index) => {
        if (!parameter.rawName.startsWith('%24')) return [parameter];
        const name = treat(parameter.name, index, request.query);
        return name === undefined ? [] : [{ ...parameter, name }];
      }),
  );
}

function encodedDefect(id: string, difficulty: Difficulty, sentence: string, apply: Change): DefectDraft {
  return { id, sentence, keywords: ['%24'], must: ['page-size/encoded-name'], difficulty, apply };
}

/** One of several servers that take turns ignores names with %24. */
function ignoredByOneServer(id: string, words: string, servers: number): DefectDraft {
  return {
    ...encodedDefect(
      id,
      'subtle',
      `Every ${words} request is for a server that ignores names with %24.`,
      (steps) => {
        let requests = 0;
        const ignoring = encoded(() => undefined)(steps);
        return {
          ...steps,
          parameters: (request, service) =>
            (++requests % servers === 0 ? ignoring : steps).parameters(request, service),
        };
      },
    ),
    needs: { order: true },
  };
}

function isEncoded(page: Page, name: string): boolean {
  return page.parameters.some((parameter) => parameter.rawName === `%24${name}`);
}

/** Defects of parameters with percent-encoded names. */
export const encodedNameDefects: readonly DefectDraft[] = [
  encodedDefect(
    'encoded-ignored',
    'plain',
    'Parameters written with %24 are ignored.',
    encoded(() => undefined),
  ),
  ignoredByOneServer('encoded-ignored-by-one-of-two', 'second', 2),
  encodedDefect(
    'encoded-count-ignored',
    'hidden',
    '%24count is ignored, %24pagesize is not.',
    encoded((name) => (name === '$count' ? undefined : name)),
  ),
  encodedDefect(
    'encoded-page-size-ignored',
    'hidden',
    '%24pagesize is ignored, %24count is not.',
    encoded((name) => (name === '$pagesize' ? undefined : name)),
  ),
  encodedDefect(
    'encoded-mixed-ignored',
    'subtle',
    'Parameters written with %24 are ignored if others are written with $.',
    encoded((name, _index, query) => (query.includes('$') ? undefined : name)),
  ),
  encodedDefect(
    'encoded-together-ignored',
    'subtle',
    'If both are written with %24, %24pagesize is ignored.',
    encoded((name, _index, query) => (name === '$pagesize' && query.includes('%24count') ? undefined : name)),
  ),
  encodedDefect(
    'encoded-first-only',
    'subtle',
    'Only the first parameter of a query may be written with %24; a later one is ignored.',
    encoded((name, index) => (index > 0 ? undefined : name)),
  ),
  encodedDefect(
    'encoded-count-first-only',
    'subtle',
    '%24count is ignored unless it is the first parameter.',
    encoded((name, index) => (name === '$count' && index > 0 ? undefined : name)),
  ),
  encodedDefect(
    'encoded-page-size-last-only',
    'subtle',
    '%24pagesize is ignored if it is the first of several parameters.',
    encoded((name, index, query) =>
      name === '$pagesize' && index === 0 && query.includes('&') ? undefined : name,
    ),
  ),
  encodedDefect(
    'encoded-count-alone-ignored',
    'subtle',
    '%24count is ignored if it is the only parameter.',
    encoded((name, _index, query) => (name === '$count' && !query.includes('&') ? undefined : name)),
  ),
  encodedDefect(
    'encoded-page-size-ignored-with-two',
    'hidden',
    'A percent-encoded %24pagesize is ignored in queries of at most two parameters.',
    encoded((name, _index, query) =>
      name === '$pagesize' && query.split('&').length <= 2 ? undefined : name,
    ),
  ),
  encodedDefect(
    'encoded-skip-ignored-with-count',
    'subtle',
    '%24skip is ignored if %24count is given.',
    encoded((name, _index, query) => (name === '$skip' && query.includes('%24count') ? undefined : name)),
  ),
  encodedDefect(
    'encoded-refused',
    'plain',
    'A query with %24 is answered 400.',
    wrap('list', (list) => (request, resource, service) => {
      if (!request.query.includes('%24')) return list(request, resource, service);
      throw new Refused({ status: 400, headers: { 'Content-Type': 'text/plain' }, body: 'bad query' });
    }),
  ),
  encodedDefect(
    'encoded-count-without-link',
    'subtle',
    'With %24count the count is given but no nextPageLink.',
    changeMore((more, page) => more && !isEncoded(page, 'count')),
  ),
  encodedDefect(
    'encoded-count-without-count',
    'subtle',
    'With %24count the nextPageLink is given but no count.',
    wrap(
      'count',
      (count) => (page, service) => (isEncoded(page, 'count') ? undefined : count(page, service)),
    ),
  ),
  encodedDefect(
    'encoded-page-size-one-less',
    'subtle',
    '%24pagesize gives one record fewer than $pagesize.',
    changeRecordCount((size, page) => (isEncoded(page, 'pagesize') ? size - 1 : size)),
  ),
  {
    id: 'encoded-page-size-lost-in-link',
    sentence: 'The nextPageLink of a call with %24pagesize requests pages of 500.',
    keywords: ['%24', '$pagesize'],
    must: ['link/query'],
    apply: changeLinkParameters((pairs, page) => {
      if (!isEncoded(page, 'pagesize')) return pairs;
      return pairs.map(([name, value]) => [name, name === '$pagesize' ? '500' : value]);
    }),
  },
  {
    id: 'encoded-count-twice-in-link',
    sentence: 'The nextPageLink of a call with %24count gives $count twice.',
    keywords: ['%24', '$count'],
    must: ['link/query'],
    apply: changeLinkParameters((pairs, page) => {
      return isEncoded(page, 'count') ? [['%24count', 'true'], ...pairs] : pairs;
    }),
  },
  {
    id: 'encoded-link-absolute',
    sentence: 'The nextPageLink of a call with %24count is absolute.',
    keywords: ['%24', 'absolute'],
    must: ['link/relative'],
    apply: changeLink((link, page, service) =>
      isEncoded(page, 'count') ? `${service.origin}${link}` : link,
    ),
  },
  encodedDefect(
    'encoded-skip-ignored',
    'subtle',
    '%24skip is ignored.',
    encoded((name) => (name === '$skip' ? undefined : name)),
  ),
  encodedDefect(
    'encoded-other-records',
    'subtle',
    'A call with %24pagesize gives the records from the end of the list.',
    wrap(
      'recordAt',
      (recordAt) => (position, page, service) =>
        recordAt(isEncoded(page, 'pagesize') ? page.total - 1 - position : position, page, service),
    ),
  ),
];
