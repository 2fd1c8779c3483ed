import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import { wrap } from '../pipeline.ts';
import type { Client } from '../scenario/scenario.ts';
import { changeForSecondClient, requestedSize } from '../step-changes.ts';
import { CLOCK_RATE } from './token-expiry.ts';

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
  'second-client-token-never-expires': {
    sentence: 'A token of the second client never expires.',
    keywords: ['token'],
    must: ['token/refused-after-expiry'],
    needs: { expiry: true, clockRate: CLOCK_RATE },
    difficulty: 'subtle',
    apply: wrap(
      'current',
      (current) => (session, token, service) =>
        session.clientId === service.otherCredentials.clientId || current(session, token, service),
    ),
  },
  'second-client-envelope-nested': {
    sentence: 'The second client is given the list answer within another object.',
    keywords: ['second provider'],
    must: ['list/envelope'],
    difficulty: 'subtle',
    apply: changeForSecondClient('envelope', (envelope) => (parts, page, service) => ({
      data: envelope(parts, page, service),
    })),
  },
  'second-client-skip-ignored': {
    sentence: 'The second client is given the first page for every $skip.',
    keywords: ['second provider'],
    must: ['traversal/by-parameters'],
    may: ['link/offset', 'link/present-when-more', 'link/absent-at-the-end', 'page-size/filled'],
    difficulty: 'subtle',
    apply: changeForSecondClient('slice', (slice) => (page, service) => slice({ ...page, skip: 0 }, service)),
  },
  'second-client-skip-halved': {
    sentence: 'The second client is given the page from half of $skip on.',
    keywords: ['second provider'],
    must: ['traversal/by-parameters'],
    difficulty: 'subtle',
    apply: changeForSecondClient(
      'slice',
      (slice) => (page, service) => slice({ ...page, skip: Math.floor(page.skip / 2) }, service),
    ),
  },
  'second-client-count-of-page': {
    sentence: 'For the second client count is the number of records on the page.',
    keywords: ['second provider'],
    must: ['count/stable'],
    difficulty: 'subtle',
    apply: changeForSecondClient(
      'count',
      () => (page) => (page.counting ? page.positions.length : undefined),
    ),
  },
  'second-client-count-of-all-clients': {
    sentence: 'The second client may see 900 records, which are filtered after the others were counted.',
    keywords: ['second provider'],
    must: ['count/equals-records'],
    difficulty: 'subtle',
    needs: { suite: 'certify' },
    apply: changeForSecondClient(
      'slice',
      (slice) => (page, service) => slice(page, service).filter((position) => position < 900),
    ),
  },
  'second-client-count-too-low': {
    sentence: 'For the second client count is four too low.',
    keywords: ['second provider'],
    must: ['count/equals-records'],
    difficulty: 'subtle',
    needs: { suite: 'certify' },
    apply: changeForSecondClient('count', (count) => (page, service) => {
      const value = count(page, service);
      return typeof value === 'number' ? value - 4 : value;
    }),
  },
  'second-client-count-remaining': {
    sentence: 'For the second client count is the number of records from the offset of the page on.',
    keywords: ['second provider'],
    must: ['count/stable'],
    difficulty: 'subtle',
    apply: changeForSecondClient(
      'count',
      () => (page) => (page.counting ? Math.max(0, page.total - page.skip) : undefined),
    ),
  },
});

function isolation(
  difficulty: Difficulty,
  words: string,
  crossing: (client: Client, owner: Client, first: Client) => boolean,
): DefectDraft {
  return {
    sentence: `A token is issued for ${words}.`,
    keywords: ['provider'],
    must: ['token/provider-isolation'],
    may: ['token/secret'],
    needs: { otherCredentials: true },
    difficulty,
    apply: wrap('secretAccepted', (accepted) => (client, given, service) => {
      if (accepted(client, given, service)) return true;
      const owner = service.clients.find((one) => one.clientSecret === given);
      return owner !== undefined && owner !== client && crossing(client, owner, service.credentials);
    }),
  };
}

/** Defects of the separation of two providers' credentials. */
export const providerIsolationDefects: readonly Defect[] = defectsOf({
  'isolation-none': isolation(
    'plain',
    'the client_id of one provider with the secret of another',
    () => true,
  ),
  'isolation-first-with-second-secret': isolation(
    'subtle',
    'the first provider with the secret of the second provider, but not the reverse',
    (client, _owner, first) => client === first,
  ),
  'isolation-second-with-first-secret': isolation(
    'subtle',
    'the second provider with the secret of the first provider, but not the reverse',
    (client, _owner, first) => client !== first,
  ),
});
