import { type Defect, defectsOf } from '../defect.ts';
import { changeForSecondClient } from '../second-client.ts';
import { requestedSize } from '../step-changes.ts';

/** Breaches that only calls with a token of the second client show. */
export const secondClientDefects: readonly Defect[] = defectsOf({
  'second-client-default-200': {
    sentence: 'Without $pagesize the second client is given 200 records a page.',
    keywords: ['second provider'],
    must: ['page-size/default'],
    may: ['page-size/filled'],
    apply: changeForSecondClient(
      'pageSize',
      (pageSize) => (page, service) => (requestedSize(page) === undefined ? 200 : pageSize(page, service)),
    ),
  },
  'second-client-link-without-count': {
    sentence: 'The second client is given a nextPageLink also without $count.',
    keywords: ['second provider'],
    must: ['link/absent-without-count'],
    apply: changeForSecondClient(
      'more',
      () => (page, service) => service.steps.endOffset(page, service) < page.total,
    ),
  },
});
