import type { RequirementId } from '../../core/requirement-id.ts';
import type { DefectDraft } from '../defect.ts';
import { type Change, wrap } from '../pipeline.ts';
import { changeValue } from './link-query.ts';

function rewriteLink(rewrite: (link: string) => string): Change {
  return wrap('link', (inner) => (page, service) => {
    const link = inner(page, service);
    return typeof link === 'string' ? rewrite(link) : link;
  });
}

function linkDefect(
  id: string,
  sentence: string,
  keyword: string,
  must: RequirementId,
  apply: Change,
): DefectDraft {
  return { id, sentence, keywords: [keyword], must: [must], difficulty: 'subtle', apply };
}

/** Defects of links that break one requirement only, although much follows from them. */
export const linkBlameDefects: readonly DefectDraft[] = [
  linkDefect(
    'link-line-end',
    'nextPageLink ends with a line end.',
    'white space',
    'link/relative',
    rewriteLink((link) => `${link}\r\n`),
  ),
  linkDefect(
    'link-quoted',
    'nextPageLink is serialised twice, so that it contains quotation marks.',
    'path',
    'link/relative',
    rewriteLink((link) => JSON.stringify(link)),
  ),
  linkDefect(
    'link-escaped-for-html',
    'The ampersands of nextPageLink are escaped as for HTML.',
    '$pagesize',
    'link/query',
    rewriteLink((link) => link.replaceAll('&', '&amp;')),
  ),
  linkDefect(
    'link-escaped-twice',
    'The query of nextPageLink is percent-encoded twice.',
    '$count',
    'link/query',
    rewriteLink((link) =>
      link.replace(/\?(.*)$/, (_all, query: string) => `?${encodeURIComponent(encodeURIComponent(query))}`),
    ),
  ),
  linkDefect(
    'link-offset-high-in-one-of-five',
    'In one of five answers with a link, $skip of nextPageLink is one too high.',
    '$skip',
    'link/offset',
    (steps) => {
      let links = 0;
      return changeValue('$skip', (skip) => String(Number(skip) + (links++ % 5 === 4 ? 1 : 0)))(steps);
    },
  ),
];
