import { readdirSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { type Answer, HostedTarget } from '../../../src/playwright/hosted-target.ts';
import { askRunner, SOCKET, serveJudging } from '../../../src/playwright/judging-server.ts';
import { formsOf, found } from '../../support/hostile/traces-of.ts';
import { targetOf } from '../../support/judge-mock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const OPTIONS = { suite: 'smoke', only: [], skip: [], seed: 42, runs: null, expiry: false } as const;

const folder = temporaryFolder('judging');
let mock: Mock;
let hosted: HostedTarget;
let close: () => void;

const ask = (requirement: string | null, list: string | null = null): Promise<Answer> =>
  askRunner({ target: 'acme', requirement, list });

beforeAll(async () => {
  mock = await startMock({ records: 20, defects: ['expires-in-text'] });
  hosted = new HostedTarget(targetOf(mock, { name: 'acme' }), [], OPTIONS, { folder, index: 0 });
  const server = await serveJudging(new Map([['acme', hosted]]), folder, () => undefined);
  process.env[SOCKET] = server.socket;
  close = server.close;
});

afterAll(async () => {
  close();
  await mock.close();
});

describe('the socket on which the runner judges', () => {
  it.skipIf(process.platform === 'win32')('is in a folder that only the user can open', () => {
    expect(statSync(folder).mode & 0o077).toBe(0);
    expect(readdirSync(folder)).toContain('judge.sock');
  });

  it('answers with the result and its exchanges, without a secret', async () => {
    const answer = await ask('token/shape');
    expect(answer.judged).toMatchObject([{ result: { id: 'token/shape', verdict: 'fail' } }]);
    expect(answer.judged[0]?.exchanges[0]?.length).toBeGreaterThan(0);
    const { clientSecret } = mock.credentials;
    const secrets = new Map([['the client secret', formsOf(clientSecret, mock.credentials.clientId)]]);
    expect(found('the answer', Buffer.from(JSON.stringify(answer)), secrets)).toEqual([]);
    expect(JSON.stringify(answer)).not.toMatch(/eyJ[\w-]{20}/u);
  });

  it('refuses what the run does not have, in a sentence', async () => {
    await expect(ask('link/offset', 'unknown')).rejects.toThrow(
      'acme has no requirement link/offset of unknown',
    );
    await expect(askRunner({ target: 'other', requirement: null, list: null })).rejects.toThrow(
      'the run has no target other',
    );
  });

  it('begins a new session for a requirement that is asked for again, and keeps the results of both', async () => {
    const evidence = (): readonly string[] =>
      readdirSync(folder).filter((name) => name.startsWith('evidence'));
    const before = evidence();
    await ask('authorization/accepted', 'printers');
    expect(evidence()).toEqual(before);
    await ask('authorization/accepted', 'printers');
    expect(evidence()).toHaveLength(before.length);
    expect(evidence()).not.toEqual(before);
    const finished = await hosted.finish(false);
    const verdicts = new Map(finished?.result.requirements.map(({ id, verdict }) => [id, verdict]));
    expect(verdicts.get('token/shape')).toBe('fail');
    expect(verdicts.get('authorization/accepted')).toBe('pass');
    expect(verdicts.get('list/items')).toBe('skipped');
  });
});
