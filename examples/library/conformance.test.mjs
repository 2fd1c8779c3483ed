// Assay as a library, in the test runner that comes with Node.js; any other one will do.
//
//   node --test library/conformance.test.mjs
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { conform, list, makeTarget, startMock } from 'assay';

let mock;
let target;

before(async () => {
  mock = await startMock({ records: 120 });
  const { authUrl, baseUrl, credentials } = mock;
  target = makeTarget({ authUrl, baseUrl, credentials, limits: { requestsPerSecond: 1000 } });
});
after(() => mock.close());

test('the provider passes the smoke suite', async () => {
  const { targets, run } = await conform(target, { suite: 'smoke', seed: 42 });
  const failed = targets[0].requirements.filter(({ verdict }) => verdict === 'fail');
  assert.deepEqual(failed, [], `seed ${run.seed}`);
});

test('and those of ours', async () => {
  const ids = list(
    'x/ids-are-lower-case',
    { rule: 'Identifiers are written in lower case.' },
    async (look) => {
      for await (const { id } of look.records({ pageSize: 50 }))
        look.expect(id === id.toLowerCase(), `the identifier ${id} is not in lower case`);
    },
  );
  const results = await conform(target, { only: ['x/*'], checks: [ids] });
  assert.equal(results.outcome, 'conformant');
});
