import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openMock } from '../../support/judge-mock.ts';
import {
  fieldsOf,
  listRequest,
  membersOf,
  page,
  send,
  tokenOf,
  tokenRequest,
} from '../../support/mock/client.ts';

describe('a variant', () => {
  it('links other lists and base paths than the usual ones', async () => {
    const query = '?$count=true&$pagesize=2&$skip=2';
    const links = {
      'link-last-segment': `units${query}`,
      'base-path-link-last-segment': `units${query}`,
      'base-path-given': `/other/v1/units${query}`,
      'base-path-deep': `/other/v1/units${query}`,
    };
    for (const [variant, link] of Object.entries(links)) {
      const mock = await openMock({ variant, basePath: '/other', resources: [{ path: '/v1/units' }] });
      const { headers = {} } = listRequest(mock, await tokenOf(mock), '');
      const got = await send(mock, { target: '/other/v1/units?$count=true&$pagesize=2', headers });
      expect(membersOf(got.text)['nextPageLink'], variant).toBe(link);
    }
  });

  it('refusals-with-retry-after also gives it with a bad page size', async () => {
    const mock = await openMock({ variant: 'refusals-with-retry-after' });
    const got = await send(mock, listRequest(mock, await tokenOf(mock), '?$pagesize=0'));
    expect(got).toMatchObject({ status: 400, headers: { 'retry-after': '1' } });
  });

  it.each(['token-refusals-dropped', 'wrong-secrets-reset'])('%s answers list calls', async (variant) => {
    const mock = await openMock({ variant });
    expect((await send(mock, { method: 'POST', target: '/v1/printers' })).status).toBe(401);
    const wrong = tokenRequest({ ...fieldsOf(mock.credentials), client_secret: 'wrong' });
    await expect(send(mock, wrong)).rejects.toThrow();
  });

  it('two-connections-at-a-time serves a third one when any of the two is closed', async () => {
    const mock = await openMock({ variant: 'two-connections-at-a-time' });
    const agents = [1, 2, 3].map(() => new Agent({ keepAlive: true }));
    const statusBy = (agent: Agent | undefined): Promise<number | undefined> =>
      new Promise((resolve) => {
        get(`${mock.baseUrl}/v1/printers`, { agent }, (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode));
        }).on('error', () => undefined);
      });
    expect(await Promise.all([statusBy(agents[0]), statusBy(agents[1])])).toEqual([401, 401]);
    const third = statusBy(agents[2]);
    expect(await Promise.race([third, wait(100)])).toBeUndefined();
    agents[1]?.destroy();
    expect(await Promise.race([third, wait(2000)])).toBe(401);
    for (const agent of agents) agent.destroy();
  });

  it.each(['tokens-of-two-caches-counting-down', 'tokens-of-three-caches-of-one-age'])(
    '%s accepts each token as long as it says',
    async (variant) => {
      let now = Date.now();
      const mock = await openMock({ variant, clock: () => now });
      const startedAt = now;
      const lives: number[] = [];
      for (let number = 0; number < 2; number++) {
        const got = membersOf((await send(mock, tokenRequest(fieldsOf(mock.credentials)))).text);
        const token = String(got['access_token']);
        const endsAt = startedAt + Number(got['expires_in']) * 1000;
        const statuses: number[] = [];
        for (now of [endsAt - 1, endsAt]) statuses.push((await page(mock, token, '')).status);
        expect(statuses).toEqual([200, 401]);
        lives.push(Number(got['expires_in']));
        now = startedAt;
      }
      expect(lives.at(-1)).toBeLessThan(3600);
    },
  );

  it('token-older-than-the-run issues no expired token', async () => {
    let now = Date.now();
    const mock = await openMock({ variant: 'token-older-than-the-run', clock: () => now });
    const startedAt = now;
    const obtained = async (): Promise<unknown> => {
      const got = membersOf((await send(mock, tokenRequest(fieldsOf(mock.credentials)))).text);
      const { status } = await page(mock, String(got['access_token']), '');
      return [got['expires_in'], status];
    };
    const ages = [0, 3400, 3400, 3400, 6900, 7100, 7200].map((age) => async () => {
      now = startedAt + age * 1000;
      return obtained();
    });
    const seen: unknown[] = [];
    for (const atAge of ages) seen.push(await atAge());
    expect(seen).toEqual([
      [3300, 200],
      [3600, 200],
      [3600, 200],
      [3600, 200],
      [100, 200],
      [3600, 200],
      [3500, 200],
    ]);
  });
});
