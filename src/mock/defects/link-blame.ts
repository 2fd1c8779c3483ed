import type { RequirementId } from '../../core/requirement-id.ts';
import { type Defect, type DefectDraft, defectsOf } from '../defect.ts';
import type { Change } from '../pipeline.ts';
import { changeLink, changeOffset } from '../step-changes.ts';

function linkDefect(sentence: string, keyword: string, must: RequirementId, apply: Change): DefectDraft {
  return { sentence, keywords: [keyword], must: [must], apply };
}

/** Defects of links that break one requirement only, although much follows from them. */
export const linkBlameDefects: readonly Defect[] = defectsOf({
  'link-line-end': linkDefect(
    'nextPageLink ends with a line end.',
    'white space',
    'link/relative',
    changeLink((link) => `${link}\r\n`),
  ),
  'link-quoted': linkDefect(
    'nextPageLink is serialised twice, so that it contains quotation marks.',
    'path',
    'link/relative',
    changeLink((link) => JSON.stringify(link)),
  ),
  'link-escaped-for-html': linkDefect(
    'The ampersands of nextPageLink are escaped as for HTML.',
    '$pagesize',
    'link/query',
    changeLink((link) => link.replaceAll('&', '&amp;')),
  ),
  'link-escaped-twice': linkDefect(
    'The query of nextPageLink is percent-encoded twice.',
    '$count',
    'link/query',
    changeLink((link) =>
      link.replace(/\?(.*)$/, (_all, query: string) => `?${encodeURIComponent(encodeURIComponent(query))}`),
    ),
  ),
  'link-offset-high-in-one-of-five': linkDefect(
    'In one of five answers with a link, $skip of nextPageLink is one too high.',
    '$skip',
    'link/offset',
    (steps) => {
      let links = 0;
      return changeOffset((skip) => skip + (links++ % 5 === 4 ? 1 : 0))(steps);
    },
  ),
});
