import { expect, it } from 'vitest';
import type { Behaviour } from '../../support/hostile/altering-proxy.ts';
import { judgeBehind, openMock, requirementOf, withVerdict } from '../../support/judge-mock.ts';

/** The page near the end of the list that a run with the seed 42 requests. */
const DEEP_PAGE = '$pagesize=4&$skip=1228';

it('a page near the end that is never answered leaves only the requirements open that need it', async () => {
  const mock = await openMock({ records: 1234 });
  const closed: Behaviour = ({ target, answer, socket }) => {
    if (!target.includes(DEEP_PAGE) || answer.status !== 200) return answer;
    socket.destroy();
    return null;
  };
  const result = await judgeBehind(mock, closed);
  expect(withVerdict(result, 'fail', 'error')).toEqual([]);
  expect(withVerdict(result, 'inconclusive')).toEqual(['traversal/followable', 'traversal/by-parameters']);
});

const FIRST_PAGE_CLOSED: Behaviour = ({ target, answer, socket }) => {
  if (!target.endsWith('$pagesize=499')) return answer;
  socket.destroy();
  return null;
};

it('a first page that is never answered hides no breach of other pages', async () => {
  const mock = await openMock({ records: 1234, defects: ['link-absolute'] });
  const result = await judgeBehind(mock, FIRST_PAGE_CLOSED, { target: { limits: { retries: 1 } } });
  expect(withVerdict(result, 'fail', 'error')).toEqual(['link/relative']);
  expect(requirementOf(result, 'page-size/filled').cause).toMatchObject({ kind: 'unavailable' });
});

it('a first page that is never answered hides no page size of linked pages', async () => {
  const mock = await openMock({ records: 1234, defects: ['limit-one-more-on-linked-pages'] });
  const result = await judgeBehind(mock, FIRST_PAGE_CLOSED, { target: { limits: { retries: 1 } } });
  expect(withVerdict(result, 'fail')).toContain('page-size/limit');
});

it('a first page that is never answered hides no link of a page that is requested by its parameters', async () => {
  const mock = await openMock({ records: 1234, defects: ['by-parameters-link-absolute'] });
  const result = await judgeBehind(mock, FIRST_PAGE_CLOSED, { target: { limits: { retries: 1 } } });
  expect(withVerdict(result, 'fail')).toContain('link/relative');
});
