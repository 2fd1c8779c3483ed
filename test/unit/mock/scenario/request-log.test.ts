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
