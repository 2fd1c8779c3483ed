import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ObservationResult, TargetResult } from '../../../src/core/results.ts';
import type { TargetParts } from '../../../src/target/make.ts';
import { type Answer, isToken, startGateway } from '../../support/gateway.ts';
import { judgeMock, judgeTarget, openMock, targetOf } from '../../support/judge-mock.ts';

/** Tests the reference provider behind a server that answers some requests itself. */
async function judgeBehind(
  answer: Answer,
  { records = 40, target = {} }: { records?: number; target?: Partial<TargetParts> } = {},
): Promise<TargetResult> {
  const mock = await openMock({ records });
  const gateway = await startGateway(mock.authUrl, answer);
  try {
    const parts = { authUrl: gateway.url, baseUrl: gateway.url, ...target };
    return await judgeTarget(targetOf(mock, parts), { seed: 1 });
  } finally {
    gateway.close();
  }
}

function observed(result: TargetResult, id: string): ObservationResult {
  const found = result.observations.find((one) => one.id === `observe/${id}`);
  if (found === undefined) throw new Error(`${id} was not observed`);
  return found;
}

/** The token of a list call. */
function tokenIn({ headers }: IncomingMessage): string {
  return /^bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
}

describe('an observation', () => {
  it('shows a dropped connection, and blames no other parameter for it', async () => {
    const result = await judgeBehind((request) => {
      const drops = tokenIn(request) !== '' && request.url?.includes('$skip=-1') === true;
      if (drops) request.socket.destroy();
      return drops;
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
    const result = await judgeBehind((request, response) => {
      if (isToken(request)) {
        if (request.method === 'GET') for (const token of seen) ended.add(token);
        return false;
      }
      const token = tokenIn(request);
      seen.add(token);
      if (!ended.has(token)) return false;
      response.writeHead(401).end();
      return true;
    });
    expect(observed(result, 'scheme-case').value).toBe('accepted');
    expect(observed(result, 'accept').value).toBe('the list as JSON');
    expect(observed(result, 'tenant-missing').value).toBe('answered 200 with 1 record');
  });

  it('is not made if the normal call fails as well', async () => {
    let hasFailed = false;
    const result = await judgeBehind((request, response) => {
      hasFailed ||= request.url?.includes('$assay') === true;
      if (!hasFailed || isToken(request)) return false;
      response.writeHead(500).end();
      return true;
    });
    for (const id of ['unknown-parameter', 'scheme-case'])
      expect(observed(result, id)).toMatchObject({
        value: expect.stringMatching(/^not observed: /),
        attention: false,
      });
  });

  it('describes no failure that does not repeat', async () => {
    let failures = 0;
    const result = await judgeBehind((request, response) => {
      if (request.headers.accept !== 'text/html' || failures === 2) return false;
      failures += 1;
      response.writeHead(500).end();
      return true;
    });
    expect(failures).toBe(2);
    expect(observed(result, 'accept').value).toBe('the list as JSON');
  });

  it('describes no refusal of a client that another token request has locked', async () => {
    let isLocked = false;
    const result = await judgeBehind((request, response) => {
      isLocked ||= isToken(request) && request.headers['content-type'] === 'application/json';
      if (!isLocked || !isToken(request)) return false;
      response.writeHead(401).end('{"error":"invalid_client"}');
      return true;
    });
    expect(observed(result, 'token-request-json').value).toMatch(/^not observed: /);
  });
});

describe('the effect of one parameter', () => {
  it('is not that of an empty page', async () => {
    const mock = await openMock({ records: 40 });
    const gateway = await startGateway(mock.authUrl, (request, response) => {
      if (isToken(request)) return false;
      const url = (request.url ?? '').replace('$count=yes', '$count=true');
      const headers = { authorization: request.headers.authorization ?? '', accept: 'application/json' };
      fetch(mock.baseUrl + url, { headers }).then(async (passed) => {
        const body = (await passed.json()) as { items?: unknown[]; count?: number };
        // Empty pages have no count.
        if (body.items?.length === 0) delete body.count;
        response.writeHead(passed.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      });
      return true;
    });
    try {
      const parts = { authUrl: gateway.url, baseUrl: gateway.url };
      const result = await judgeTarget(targetOf(mock, parts), { seed: 1 });
      expect(observed(result, 'count-value-forms').detail['$count=yes']).toBe('the count');
      expect(observed(result, 'skip-beyond-the-end').detail['$skip=N+1000']).toBe('0 records');
    } finally {
      gateway.close();
    }
  });

  it('is not that of another value of $count', async () => {
    const result = await judgeBehind((request) => {
      request.url = request.url?.replace(/\$count=(?:1|yes)\b/, '$count=true') ?? '';
      return false;
    });
    expect(observed(result, 'count-without-enabling').value).toBe('no count');
  });

  it('is not observed if $count=true gives no count, or all pages have one', async () => {
    const missing = await judgeMock({ defects: ['count-never'], records: 40 });
    const always = await judgeMock({ variant: 'count-always', records: 40 });
    for (const result of [missing, always])
      expect(observed(result, 'count-value-forms').value).toMatch(/^not observed: /);
  });

  it('is that of a name which is another word for the page size', async () => {
    const result = await judgeBehind((request) => {
      if (request.url?.includes('$top=1') === true)
        request.url = request.url.replace(/\$pagesize=\d+/, '$pagesize=1');
      return false;
    });
    expect(observed(result, 'unknown-parameter').detail).toMatchObject({
      '$assay=1': 'ignored',
      '$top=1': '1 record instead of the requested number',
      '$pageSize=1': 'ignored',
      'pagesize=1': 'ignored',
    });
  });

  it('is not that of another method, header or type', async () => {
    const result = await judgeBehind(
      (request, response) => {
        if (request.method === 'PUT') response.writeHead(405).end();
        else if (request.headers.accept === 'text/html' && tokenIn(request) !== '')
          response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>printers</p>');
        else return false;
        return true;
      },
      { target: { probes: { methods: true } } },
    );
    expect(observed(result, 'unauthorized-answer').value).toBe('401');
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
    const result = await judgeBehind(() => false, {
      target: {
        resources: [{ name: 'printers', path: '/v1/printers', itemSchema: 'printer', idField: 'serial' }],
      },
    });
    expect(result.records).toEqual({ printers: null });
    expect(observed(result, 'skip-beyond-the-end').detail['$skip=N']).toMatch(/^not observed: /);
  });
});
