import { type Defect, defectsOf } from '../defect.ts';
import { type Change, composeChanges, wrap } from '../pipeline.ts';
import { changeCount, changeLink, changeLinkValue, changeMore, changeTokenBody } from '../step-changes.ts';

/** Issues the tokens of several caches in turn, each with an expires_in of 1800. */
function issueFromCaches(caches: number): Change {
  return composeChanges(
    wrap('issue', (issue) => {
      const cached = new Map<string, ReturnType<typeof issue>>();
      let requests = 0;
      return (grant, service) => {
        const key = `${grant.client.clientId} ${requests++ % caches}`;
        const known = cached.get(key) ?? issue(grant, service);
        cached.set(key, known);
        return known;
      };
    }),
    changeTokenBody((answer) => ({ ...answer, expires_in: 1800 })),
  );
}

/** Breaches that show in one edge case only: each escapes if one condition of a check is removed. */
export const edgeCaseDefects: readonly Defect[] = defectsOf({
  'token-cached-constant-1800': {
    sentence: 'One cached token is issued repeatedly with a constant expires_in of 1800.',
    keywords: ['expires_in', '1800'],
    must: ['token/validity'],
    apply: issueFromCaches(1),
  },
  'tokens-of-two-caches-constant-1800': {
    sentence: 'Two cached tokens are issued in turn, with a constant expires_in of 1800.',
    keywords: ['expires_in', '1800'],
    must: ['token/validity'],
    needs: { order: true },
    apply: issueFromCaches(2),
  },
  'expires-in-one-short-every-third-time': {
    sentence: 'expires_in is 3599 in every third answer, although each gives a new token.',
    keywords: ['expires_in', '3599'],
    must: ['token/validity'],
    needs: { order: true },
    apply: (steps) => {
      let answers = 0;
      return changeTokenBody((answer) => (++answers % 3 === 1 ? { ...answer, expires_in: 3599 } : answer))(
        steps,
      );
    },
  },
  'encoded-count-too-high': {
    sentence: 'count is one too high if $count is written with %24.',
    keywords: ['%24', 'count'],
    must: ['page-size/encoded-name'],
    apply: changeCount((count, page) => {
      const isEncoded = page.parameters.some(({ rawName }) => rawName === '%24count');
      return isEncoded ? count + 1 : count;
    }),
  },
  'link-empty-before-the-last-page': {
    sentence: 'nextPageLink is an empty string on the page before the last.',
    keywords: ['nextpagelink'],
    must: ['link/present-when-more'],
    apply: changeLink((link, page, service) => {
      const left = page.total - service.steps.endOffset(page, service);
      return left <= page.pageSize ? '' : link;
    }),
  },
  'link-at-end-of-small-pages': {
    sentence: 'The last page has a nextPageLink if it is full and holds fewer than 20 records.',
    keywords: ['nextpagelink'],
    must: ['link/absent-at-the-end'],
    apply: changeMore((more, page, service) => {
      const full = page.positions.length === page.pageSize && page.pageSize < 20;
      const atTheEnd = page.counting && service.steps.endOffset(page, service) === page.total;
      return more || (full && atTheEnd);
    }),
  },
  'link-missing-before-last-full-page': {
    sentence: 'A page after which exactly $pagesize records follow has no nextPageLink.',
    keywords: ['nextpagelink'],
    must: ['link/present-when-more'],
    apply: changeMore((more, page, service) => {
      const left = page.total - service.steps.endOffset(page, service);
      return left !== page.pageSize && more;
    }),
  },
  'link-at-end-of-unaligned-page': {
    sentence:
      'A full page of more than 10 records that ends with the last one has a nextPageLink if its $skip ' +
      'is not a multiple of $pagesize.',
    keywords: ['nextpagelink'],
    must: ['link/absent-at-the-end'],
    apply: changeMore((more, page) => {
      const isUnaligned = page.counting && page.pageSize > 10 && page.skip % page.pageSize > 0;
      const isFull = page.positions.length === page.pageSize;
      return more || (isUnaligned && isFull && page.skip + page.pageSize === page.total);
    }),
  },
  'skip-hexadecimal': {
    sentence: '$skip of nextPageLink is a hexadecimal number.',
    keywords: ['$skip'],
    must: ['link/offset'],
    may: ['traversal/followable'],
    difficulty: 'hidden',
    apply: changeLinkValue('$skip', (skip) => `0x${Number(skip).toString(16)}`),
  },
  'records-others-without-count': {
    sentence: 'Without $count the list gives different records than with it.',
    keywords: ['record'],
    must: ['traversal/same-records'],
    apply: wrap('recordAt', (recordAt) => (position, page, service) => {
      const record = recordAt(position, page, service);
      return page.counting ? record : record + page.total;
    }),
  },
});
