import { describe, expect, it } from 'vitest';
import type { TargetResult } from '../../../src/core/results.ts';
import type { Behaviour, Call } from '../../support/hostile/altering-proxy.ts';
import { json, lists, onList, onToken, status } from '../../support/hostile/hostile-behaviours.ts';
import { judgeBehind, judgeMock, observed, openMock } from '../../support/judge-mock.ts';

const ASKS_FOR_HTML = /^accept: text\/html$/im;

/** Tests the reference provider behind a server that alters some answers or requests. */
async function judged(
  behaviour: Behaviour,
  more: Parameters<typeof judgeBehind>[2] = {},
): Promise<TargetResult> {
  return judgeBehind(await openMock({ records: 40 }), behaviour, { seed: 1, ...more });
}

const unaltered: Behaviour = ({ answer }) => answer;

/** The token of a list call. */
function tokenIn({ head }: Call): string {
  return /^authorization: bearer (.+)$/im.exec(head)?.[1] ?? '';
}

describe('an observation', () => {
  it('shows a dropped connection, and blames no other parameter for it', async () => {
    const result = await judged((call) => {
      if (tokenIn(call) === '' || !call.target.includes('$skip=-1')) return call.answer;
      call.socket.destroy();
      return null;
    });
    expect(observed(result, 'skip-beyond-the-end').attention).toBe(true);
    expect(observed(result, 'skip-beyond-the-end').detail['$skip=-1']).toMatch(/^no answer: /);
    expect(observed(result, 'skip-beyond-the-end').detail['$skip=N']).toBe('0 records');
    expect(observed(result, 'scheme-case').value).toBe('accepted');
    expect(observed(result, 'unknown-parameter').value).toBe('ignored');
    expect(observed(result, 'server-errors')).toMatchObject({ attention: true });
    expect(observed(result, 'server-errors').value).toMatch(/dropped/);
  });

  it('describes no refusal of a token that another request has ended', async () => {
    const seen = new Set<string>();
    const ended = new Set<string>();
    const result = await judged((call) => {
      if (call.kind === 'token') {
        if (call.method === 'GET') for (const token of seen) ended.add(token);
        return call.answer;
      }
      const token = tokenIn(call);
      seen.add(token);
      return ended.has(token) ? status(401)(call) : call.answer;
    });
    expect(observed(result, 'scheme-case').value).toBe('accepted');
    expect(observed(result, 'accept').value).toBe('the list as JSON');
    expect(observed(result, 'tenant-missing').value).toBe('answered 200 with records');
  });

  it('is not made if the normal call fails as well', async () => {
    let hasFailed = false;
    const result = await judged(
      onList((call) => {
        hasFailed ||= call.target.includes('$assay');
        return hasFailed ? status(500)(call) : call.answer;
      }),
    );
    for (const id of ['unknown-parameter', 'scheme-case'])
      expect(observed(result, id)).toMatchObject({
        value: expect.stringMatching(/^not observed: /),
        attention: false,
      });
  });

  it('describes no failure that does not repeat', async () => {
    let failures = 0;
    const result = await judged((call) => {
      if (!ASKS_FOR_HTML.test(call.head) || failures === 2) return call.answer;
      failures += 1;
      return status(500)(call);
    });
    expect(failures).toBe(2);
    expect(observed(result, 'accept').value).toBe('the list as JSON');
  });

  it('describes no refusal of a client that another token request has locked', async () => {
    let isLocked = false;
    const result = await judged(
      onToken((call) => {
        isLocked ||= /^content-type: application\/json$/im.test(call.head);
        return isLocked ? status(401, [], '{"error":"invalid_client"}')(call) : call.answer;
      }),
    );
    expect(observed(result, 'token-request-json').value).toMatch(/^not observed: /);
  });
});

describe('the effect of one parameter', () => {
  it('is not that of an empty page', async () => {
    const emptyUncounted = lists(
      json(({ count, ...members }) => (members.items?.length === 0 ? members : { ...members, count })),
    );
    const rewrite = (target: string): string => target.replace('$count=yes', '$count=true');
    const result = await judged(emptyUncounted, { rewrite });
    expect(observed(result, 'count-value-forms').detail['$count=yes']).toBe('the count');
    expect(observed(result, 'skip-beyond-the-end').detail['$skip=N+1000']).toBe('0 records');
  });

  it('is not that of another value of $count', async () => {
    const rewrite = (target: string): string => target.replace(/\$count=(?:1|yes)\b/, '$count=true');
    const result = await judged(unaltered, { rewrite });
    expect(observed(result, 'count-without-enabling').value).toBe('no count');
  });

  it('is not observed if $count=true gives no count, or all pages have one', async () => {
    const missing = await judgeMock({ defects: ['count-never'], records: 40 });
    const always = await judgeMock({ variant: 'count-always', records: 40 });
    for (const result of [missing, always])
      expect(observed(result, 'count-value-forms').value).toMatch(/^not observed: /);
  });

  it('is that of a name which is another word for the page size', async () => {
    const rewrite = (target: string): string =>
      target.includes('$top=1') ? target.replace(/\$pagesize=\d+/, '$pagesize=1') : target;
    const result = await judged(unaltered, { rewrite });
    expect(observed(result, 'unknown-parameter').detail).toMatchObject({
      '$assay=1': 'ignored',
      '$top=1': '1 record instead of the requested number',
      '$pageSize=1': 'ignored',
      'pagesize=1': 'ignored',
    });
  });

  it('is not that of another method, header or type', async () => {
    const result = await judged(
      (call) => {
        if (call.method === 'PUT') return status(405)(call);
        return ASKS_FOR_HTML.test(call.head) && tokenIn(call) !== ''
          ? status(200, [['Content-Type', 'text/html']], '<p>printers</p>')(call)
          : call.answer;
      },
      { target: { probes: { methods: true } } },
    );
    expect(observed(result, 'unauthorized-answer').value).toBe('401 with WWW-Authenticate');
    expect(observed(result, 'content-type').attention).toBe(false);
    expect(observed(result, 'accept').value).toMatch(/no list/);
  });
});

describe('an unknown number of records', () => {
  it('is not the length of a first page without a link', async () => {
    const result = await judgeMock({ defects: ['link-never'] }, { seed: 1 });
    expect(result.records).toEqual({ printers: null });
    expect(observed(result, 'skip-beyond-the-end').detail['$skip=N']).toMatch(/^not observed: /);
  });

  it('is not 0 if records have no identifiers', async () => {
    const result = await judged(unaltered, {
      target: {
        resources: [{ name: 'printers', path: '/v1/printers', itemSchema: 'printer', idField: 'serial' }],
      },
    });
    expect(result.records).toEqual({ printers: null });
    expect(observed(result, 'skip-beyond-the-end').detail['$skip=N']).toMatch(/^not observed: /);
  });
});
