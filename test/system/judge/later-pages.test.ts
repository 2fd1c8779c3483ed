import { expect, it } from 'vitest';
import type { Behaviour } from '../../support/hostile/altering-proxy.ts';
import { openFront, openMock, requirementOf, targetOf } from '../../support/judge-mock.ts';
import { runAndReplay } from '../../support/replayed.ts';

/** Gives a page of three records for $pagesize=2 beside an unknown parameter, which only an observation requests. */
const withThirdRecord: Behaviour = ({ target, answer }) => {
  if (!/assay=1&.*\$pagesize=2$/.test(target) || answer.status !== 200) return answer;
  const page = JSON.parse(answer.body.toString()) as { readonly items: readonly object[] };
  const items = [...page.items, { ...page.items[0], id: 'further' }];
  const body = Buffer.from(JSON.stringify({ ...page, items }));
  return { ...answer, headers: answer.headers.filter(([name]) => !/^content-length$/i.test(name)), body };
};

it('a page that only an observation requests fails the rule that it breaks, also in a replay', async () => {
  const mock = await openMock({ records: 1234 });
  const front = await openFront(mock, withThirdRecord);
  const target = targetOf(mock, { authUrl: front, baseUrl: front });
  const { results, again } = await runAndReplay([target], { seed: 1 });
  const [tested] = results.targets;
  if (tested === undefined) throw new Error('no target was tested');
  const failed = tested.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
  expect(failed).toEqual(['page-size/limit']);
  const [violation] = requirementOf(tested, 'page-size/limit').violations;
  expect(violation?.actual).toBe(3);
  expect(again.differences).toEqual([]);
});
