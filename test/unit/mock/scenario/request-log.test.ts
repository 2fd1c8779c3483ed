import { expect, it } from 'vitest';
import type { LogLine } from '../../../../src/mock/index.ts';
import { openMock } from '../../../support/judge-mock.ts';
import { fieldsOf, send, tokenOf, tokenRequest } from '../../../support/mock/client.ts';

it.each(['jwt', 'opaque'] as const)(
  'masks a %s token and a secret wherever they are sent',
  async (tokens) => {
    const lines: LogLine[] = [];
    const mock = await openMock({ tokens, control: { onLine: (line) => lines.push(line) } });
    const token = await tokenOf(mock);
    const secret = mock.credentials.clientSecret;
    const headers = {
      Cookie: `a=b; token=${token}`,
      'X-API-Key': token,
      'Proxy-Authorization': `Bearer ${token}`,
    };
    await send(mock, { target: `/v1/printers?access_token=${token}&$count=true`, headers });
    await send(mock, { target: `/connect/token?client_secret=${secret}` });
    await send(mock, tokenRequest({ ...fieldsOf(mock.credentials), access_token: token, password: secret }));
    const text = JSON.stringify(lines);
    expect(text).not.toContain(token);
    expect(text).not.toContain(secret);
    expect(lines[1]).toMatchObject({
      target: '/v1/printers?access_token=***&$count=true',
      headers: { cookie: 'a=b; token=***', 'x-api-key': '***', 'proxy-authorization': 'Bearer ***' },
    });
    expect(lines[3]?.form).toMatchObject({ access_token: '***', client_secret: '***', password: '***' });
  },
);

it.each(['pass word/1!%&?', 'short+1'])('masks the secret %j in every encoding', async (clientSecret) => {
  const lines: LogLine[] = [];
  const credentials = { clientId: 'demo', clientSecret, scope: 'printers.read' };
  const mock = await openMock({ credentials, control: { onLine: (line) => lines.push(line) } });
  const form = new URLSearchParams(fieldsOf(credentials)).toString();
  const inUri = encodeURIComponent(clientSecret).toLowerCase();
  const basic = Buffer.from(`demo:${clientSecret}`).toString('base64');
  await send(mock, { target: `/connect/token?${form}` });
  await send(mock, { target: `/connect/token?client_secret=${inUri}&scope=x` });
  await send(mock, { target: '/v1/printers', headers: { 'X-Authorization': `Basic ${basic}` } });
  expect(lines.map(({ target }) => target)).toEqual([
    `/connect/token?${form.replace(/client_secret=.*$/u, 'client_secret=***')}`,
    '/connect/token?client_secret=***&scope=x',
    '/v1/printers',
  ]);
  expect(lines[2]?.headers['x-authorization']).toBe('Basic ***');
});

it('masks the expired token, and a token in the place of a scheme', async () => {
  const lines: LogLine[] = [];
  const mock = await openMock({ control: { onLine: (line) => lines.push(line) } });
  const token = await tokenOf(mock);
  await send(mock, { target: `/v1/printers?access_token=${mock.expiredToken}` });
  for (const authorization of [`${token} x`, `token,${token} x`, `${token.slice(1)} x`, 'Bearer: x'])
    await send(mock, { target: '/v1/printers', headers: { authorization } });
  expect(lines[1]?.target).toBe('/v1/printers?access_token=***');
  expect(lines.slice(2).map(({ headers }) => headers['authorization'])).toEqual([
    '***',
    '***',
    '***',
    'Bearer: ***',
  ]);
});

it('a long field without escapes takes little time', async () => {
  const lines: LogLine[] = [];
  const mock = await openMock({ control: { onLine: (line) => lines.push(line) } });
  const began = performance.now();
  await send(mock, tokenRequest({ ...fieldsOf(mock.credentials), state: 'a'.repeat(60_000) }));
  expect(lines).toHaveLength(1);
  expect(performance.now() - began).toBeLessThan(2000);
});
