import { expect, test } from 'vitest';
import { status } from '../../support/hostile/hostile-behaviours.ts';
import { judgeBehind, openMock, requirementOf } from '../../support/judge-mock.ts';

/** Tokens of the run that are lost. */
const LOST = 2;

test('tokens that are never accepted leave authorization/accepted open although later ones are accepted', async () => {
  const mock = await openMock({ tokens: 'opaque' });
  const issued: string[] = [];
  const refuse = status(401);
  const result = await judgeBehind(mock, (call) => {
    const { kind, head, body, answer } = call;
    const token = /"access_token":"([^"]+)"/u.exec(answer.body.toString())?.[1];
    const isOfFirstClient = kind === 'token' && body.includes(mock.credentials.clientId);
    if (isOfFirstClient && token !== undefined) issued.push(token);
    const isLost = issued.slice(0, LOST).some((one) => head.includes(`Bearer ${one}`));
    return kind === 'list' && isLost ? refuse(call) : answer;
  });
  const { verdict, cause } = requirementOf(result, 'authorization/accepted');
  expect({ verdict, cause }).toMatchObject({
    verdict: 'inconclusive',
    cause: { kind: 'intermittent', seen: LOST },
  });
});
