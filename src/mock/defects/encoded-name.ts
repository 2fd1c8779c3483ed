import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
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

function encodedDefect(difficulty: Difficulty, sentence: string, apply: Change): DefectDraft {
  return { sentence, keywords: ['%24'], must: ['page-size/encoded-name'], difficulty, apply };
}

/** One of several servers that take turns ignores names with %24. */
function ignoredByOneServer(words: string, servers: number): DefectDraft {
  return {
    ...encodedDefect(
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
export const encodedNameDefects: readonly Defect[] = defectsOf({
  'encoded-ignored': encodedDefect(
    'plain',
    'Parameters written with %24 are ignored.',
    encoded(() => undefined),
  ),
  'encoded-ignored-by-one-of-two': ignoredByOneServer('second', 2),
  'encoded-count-ignored': encodedDefect(
    'hidden',
    '%24count is ignored, %24pagesize is not.',
    encoded((name) => (name === '$count' ? undefined : name)),
  ),
  'encoded-page-size-ignored': encodedDefect(
    'hidden',
    '%24pagesize is ignored, %24count is not.',
    encoded((name) => (name === '$pagesize' ? undefined : name)),
  ),
  'encoded-mixed-ignored': encodedDefect(
    'subtle',
    'Parameters written with %24 are ignored if others are written with $.',
    encoded((name, _index, query) => (query.includes('$') ? undefined : name)),
  ),
  'encoded-together-ignored': encodedDefect(
    'subtle',
    'If both are written with %24, %24pagesize is ignored.',
    encoded((name, _index, query) => (name === '$pagesize' && query.includes('%24count') ? undefined : name)),
  ),
  'encoded-first-only': encodedDefect(
    'subtle',
    'Only the first parameter of a query may be written with %24; a later one is ignored.',
    encoded((name, index) => (index > 0 ? undefined : name)),
  ),
  'encoded-count-first-only': encodedDefect(
    'subtle',
    '%24count is ignored unless it is the first parameter.',
    encoded((name, index) => (name === '$count' && index > 0 ? undefined : name)),
  ),
  'encoded-page-size-last-only': encodedDefect(
    'subtle',
    '%24pagesize is ignored if it is the first of several parameters.',
    encoded((name, index, query) =>
      name === '$pagesize' && index === 0 && query.includes('&') ? undefined : name,
    ),
  ),
  'encoded-count-alone-ignored': encodedDefect(
    'subtle',
    '%24count is ignored if it is the only parameter.',
    encoded((name, _index, query) => (name === '$count' && !query.includes('&') ? undefined : name)),
  ),
  'encoded-page-size-ignored-with-two': encodedDefect(
    'hidden',
    'A percent-encoded %24pagesize is ignored in queries of at most two parameters.',
    encoded((name, _index, query) =>
      name === '$pagesize' && query.split('&').length <= 2 ? undefined : name,
    ),
  ),
  'encoded-skip-ignored-with-count': encodedDefect(
    'subtle',
    '%24skip is ignored if %24count is given.',
    encoded((name, _index, query) => (name === '$skip' && query.includes('%24count') ? undefined : name)),
  ),
  'encoded-refused': encodedDefect(
    'plain',
    'A query with %24 is answered 400.',
    wrap('list', (list) => (request, resource, service) => {
      if (!request.query.includes('%24')) return list(request, resource, service);
      throw new Refused({ status: 400, headers: { 'Content-Type': 'text/plain' }, body: 'bad query' });
    }),
  ),
  'encoded-count-without-link': encodedDefect(
    'subtle',
    'With %24count the count is given but no nextPageLink.',
    changeMore((more, page) => more && !isEncoded(page, 'count')),
  ),
  'encoded-count-without-count': encodedDefect(
    'subtle',
    'With %24count the nextPageLink is given but no count.',
    wrap(
      'count',
      (count) => (page, service) => (isEncoded(page, 'count') ? undefined : count(page, service)),
    ),
  ),
  'encoded-page-size-one-less': encodedDefect(
    'subtle',
    '%24pagesize gives one record fewer than $pagesize.',
    changeRecordCount((size, page) => (isEncoded(page, 'pagesize') ? size - 1 : size)),
  ),
  'encoded-page-size-lost-in-link': {
    sentence: 'The nextPageLink of a call with %24pagesize requests pages of 500.',
    keywords: ['%24', '$pagesize'],
    must: ['link/query'],
    apply: changeLinkParameters((pairs, page) => {
      if (!isEncoded(page, 'pagesize')) return pairs;
      return pairs.map(([name, value]) => [name, name === '$pagesize' ? '500' : value]);
    }),
  },
  'encoded-count-twice-in-link': {
    sentence: 'The nextPageLink of a call with %24count gives $count twice.',
    keywords: ['%24', '$count'],
    must: ['link/query'],
    apply: changeLinkParameters((pairs, page) => {
      return isEncoded(page, 'count') ? [['%24count', 'true'], ...pairs] : pairs;
    }),
  },
  'encoded-link-absolute': {
    sentence: 'The nextPageLink of a call with %24count is absolute.',
    keywords: ['%24', 'absolute'],
    must: ['link/relative'],
    apply: changeLink((link, page, service) =>
      isEncoded(page, 'count') ? `${service.origin}${link}` : link,
    ),
  },
  'encoded-skip-ignored': encodedDefect(
    'subtle',
    '%24skip is ignored.',
    encoded((name) => (name === '$skip' ? undefined : name)),
  ),
  'encoded-other-records': encodedDefect(
    'subtle',
    'A call with %24pagesize gives the records from the end of the list.',
    wrap(
      'recordAt',
      (recordAt) => (position, page, service) =>
        recordAt(isEncoded(page, 'pagesize') ? page.total - 1 - position : position, page, service),
    ),
  ),
});
