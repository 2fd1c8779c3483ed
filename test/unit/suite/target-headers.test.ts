import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { judgeBehind, judgeMock, observed, openMock, requirementOf } from '../../support/judge-mock.ts';

test('headers.Accept of a target takes the place of the usual Accept header', async () => {
  const sent = new Set<string>();
  await judgeBehind(await openMock(), ({ answer }) => answer, {
    suite: 'smoke',
    target: { headers: { accept: 'application/vnd.acme+json' } },
    intercept: ({ kind, head }) => {
      if (kind === 'list') sent.add((head.match(/^accept: .*$/gim) ?? []).join());
      return null;
    },
  });
  expect([...sent]).toEqual(['accept: application/vnd.acme+json']);
});

test('calls with a User-Agent of the target file are observed like others', async () => {
  const headers = { 'User-Agent': 'acme-monitor/1.0' };
  const result = await judgeMock({}, { suite: 'smoke', target: { headers } });
  expect(observed(result, 'unauthorized-answer').value).toBe('401 with WWW-Authenticate');
});

test('calls of internal callers send their User-Agent in place of that of the target file', async () => {
  const agents: string[] = [];
  await judgeBehind(await openMock(), ({ answer }) => answer, {
    only: ['authorization/required'],
    target: { headers: { 'User-Agent': 'acme-monitor/1.0' } },
    intercept: ({ kind, head }) => {
      if (kind === 'list') agents.push((head.match(/^user-agent: .*$/gim) ?? []).join());
      return null;
    },
  });
  const ofProbes = agents.filter((agent) => agent.includes('kube-probe'));
  expect(ofProbes.length).toBeGreaterThan(0);
  expect(ofProbes.filter((agent) => agent.includes('acme-monitor'))).toEqual([]);
});

test('authorization/scheme is tested behind a gateway that needs a header of the target file as it is', async () => {
  const mock = await openMock({ defects: ['token-in-query-jwt'] });
  const result = await judgeBehind(mock, ({ answer }) => answer, {
    only: ['authorization/scheme'],
    target: { headers: { 'X-API-Key': 'key-of-the-gateway' } },
    intercept: ({ kind, head }) =>
      kind === 'token' || head.match(/^x-api-key: .*$/gim)?.join() === 'X-API-Key: key-of-the-gateway'
        ? null
        : { status: 403, reason: 'Forbidden', headers: [], body: Buffer.from('') },
  });
  expect(requirementOf(result, 'authorization/scheme').verdict).toBe('fail');
});
