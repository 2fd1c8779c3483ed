import { afterEach, expect, it } from 'vitest';
import { scenarioOf } from '../../../src/cli/mock/scenario.ts';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { fieldsOf, send, tokenRequest } from '../../support/mock/client.ts';

let mock: Mock;
afterEach(() => mock.close());

it('a body that is too large is refused, and the connection can be used again', async () => {
  mock = await startMock({ control: { readScenario: scenarioOf } });
  const right = tokenRequest(fieldsOf(mock.credentials));
  const body = 'x'.repeat(200_000);
  expect((await send(mock, { ...right, body })).status).toBe(413);
  expect((await send(mock, right)).status).toBe(200);
  expect((await send(mock, { method: 'PUT', target: '/__assay/scenario', body })).status).toBe(413);
  expect((await send(mock, { target: '/__assay/health' })).status).toBe(200);
});
