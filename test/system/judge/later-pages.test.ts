import { expect, it } from 'vitest';
import { startMock } from '../../../src/mock/index.ts';
import { type Behaviour, startFront } from '../../support/hostile/front.ts';
import { requirementOf, targetOf } from '../../support/judge-mock.ts';
import { runAndReplay } from '../../support/replayed.ts';

const LINK = '/v1/printers?$count=true&$pagesize=1&$skip=1';

/** Gives a nextPageLink with a page of one record that has no `$count`, which only observations request with this seed. */
const linkWithSingleRecord: Behaviour = ({ target, answer }) => {
  if (!target.endsWith('?$pagesize=1') || answer.status !== 200) return answer;
  const page: unknown = JSON.parse(answer.body.toString());
  const body = Buffer.from(JSON.stringify({ ...(page as object), nextPageLink: LINK }));
  return { ...answer, headers: answer.headers.filter(([name]) => !/^content-length$/i.test(name)), body };
};

it('a page that only an observation requests fails the rule that it breaks, also in a replay', async () => {
  const mock = await startMock({ records: 1234 });
  const front = await startFront({
    behind: mock.baseUrl,
    third: 'http://127.0.0.1:9',
    behaviour: linkWithSingleRecord,
  });
  try {
    const target = targetOf(mock, { authUrl: front.origin, baseUrl: front.origin });
    const { results, again } = await runAndReplay([target], { seed: 1 });
    const [tested] = results.targets;
    if (tested === undefined) throw new Error('no target was tested');
    const failed = tested.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);
    expect(failed).toEqual(['link/absent-without-count']);
    const [violation] = requirementOf(tested, 'link/absent-without-count').violations;
    expect(violation?.actual).toBe(LINK);
    expect(again.differences).toEqual([]);
  } finally {
    await front.close();
    await mock.close();
  }
});
