import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { conformingSteps } from '../../../src/mock/conforming.ts';
import { findDefect } from '../../../src/mock/index.ts';
import type { Page, Service } from '../../../src/mock/pipeline.ts';
import { openMock } from '../../support/judge-mock.ts';
import { listRequest, page, send, tokenOf } from '../../support/mock/client.ts';

/** A link of the provider at an address, for a page in the middle of a list. */
function linkAt(origin: string, defect: string): unknown {
  const steps = findDefect(defect).apply(conformingSteps);
  const service = { steps, origin, basePath: '' };
  const middle = {
    resource: { path: '/v1/printers' },
    counting: true,
    pageSize: 2,
    skip: 0,
    total: 9,
    positions: [0, 1],
  };
  return steps.link(middle as unknown as Page, service as unknown as Service);
}

describe('a defect changes only what its sentence says:', () => {
  it.each([
    'deep-small-pages-foreign-record',
    'unaligned-pages-foreign-record',
    'second-client-first-record-again',
  ])('%s gives an empty page past the end', async (defect) => {
    const mock = await openMock({ defects: [defect] });
    const token = await tokenOf(mock, defect.startsWith('second') ? mock.otherCredentials : mock.credentials);
    expect(await page(mock, token, '?$pagesize=7&$skip=2001')).toMatchObject({ status: 200, items: [] });
  });

  it.each(['gate-joins-running-calls', 'gate-open-during-other-calls'])(
    '%s forgets a call that was refused',
    async (defect) => {
      const mock = await openMock({ defects: [defect] });
      const call = listRequest(mock, await tokenOf(mock), '?$pagesize=0');
      expect((await send(mock, call)).status).toBe(400);
      await wait(100);
      expect((await send(mock, { target: call.target })).status).toBe(401);
    },
  );

  it.each(['count-more-after-a-while', 'count-less-after-a-while'])(
    '%s begins at the 60th answer',
    async (defect) => {
      const mock = await openMock({ defects: [defect], records: 9 });
      const token = await tokenOf(mock);
      const counts: unknown[] = [];
      for (let number = 0; number < 60; number++)
        counts.push((await page(mock, token, '?$count=true')).count);
      expect(counts.findIndex((count) => count !== 9)).toBe(59);
    },
  );

  it('token-ends-at-last-page leaves it in force after a page in the middle', async () => {
    const mock = await openMock({ defects: ['token-ends-at-last-page'] });
    const token = await tokenOf(mock);
    const statuses: number[] = [];
    for (const skip of [5, 1232, 5])
      statuses.push((await page(mock, token, `?$pagesize=5&$skip=${skip}`)).status);
    expect(statuses).toEqual([200, 200, 401]);
  });

  it('gate-passed-by-rewritten-url opens one path', async () => {
    const mock = await openMock({ defects: ['gate-passed-by-rewritten-url'] });
    const headers = { 'X-Original-URL': '/v1/printers' };
    const statuses: number[] = [];
    for (const target of ['/', '/v1/printers', '/connect/token'])
      statuses.push((await send(mock, { target, headers })).status);
    expect(statuses).toEqual([200, 401, 405]);
  });

  it.each([
    ['second-client-count-of-all-clients', '?$count=true&$pagesize=100&$skip=900', '$skip=1000'],
    ['tail-missing-for-small-pages', '?$count=true&$pagesize=20&$skip=1200', '$skip=1220'],
  ])('%s links an empty page to the next one', async (defect, query, next) => {
    const mock = await openMock({ defects: [defect] });
    const token = await tokenOf(mock, defect.startsWith('second') ? mock.otherCredentials : mock.credentials);
    const { items, nextPageLink } = await page(mock, token, query);
    expect(items).toEqual([]);
    expect(String(nextPageLink)).toContain(next);
  });

  it.each([
    ['link-scheme-relative', /^\/\/127\.0\.0\.1:1\/v1/, /^\/\/127\.0\.0\.1:1\/v1/],
    ['link-other-scheme', /^https:\/\/127\.0\.0\.1:1\/v1/, /^http:\/\/127\.0\.0\.1:1\/v1/],
  ])('%s gives a link of this kind over http and https', (defect, plain, secure) => {
    expect(linkAt('http://127.0.0.1:1', defect)).toMatch(plain);
    expect(linkAt('https://127.0.0.1:1', defect)).toMatch(secure);
  });
});
