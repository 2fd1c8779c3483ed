import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { conform } from '../../../src/run/conform.ts';
import { judgeBehind, openMock, requirementOf, targetOf } from '../../support/judge-mock.ts';
import { runOptions } from '../../support/run-options.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('evidence does not contain a token that was issued at the address of a redirect', async () => {
  const evidenceFile = path.join(temporaryFolder('redirected'), 'evidence.ndjson.gz');
  const mock = await openMock({ defects: ['token-request-redirected'] });
  const results = await conform([targetOf(mock)], runOptions({ evidenceFile }));
  const evidence = gunzipSync(readFileSync(evidenceFile)).toString();
  expect(evidence).toContain('"status":200');
  // Tokens of the reference provider are JWTs.
  expect(evidence + JSON.stringify(results)).not.toMatch(/eyJ[\w-]+\.eyJ[\w-]+/);
});

test('token/issued is open if every valid request but the first two is redirected', async () => {
  const elsewhere = {
    status: 302,
    reason: 'Found',
    headers: [['Location', '/login']],
    body: Buffer.from(''),
  } as const;
  const result = await judgeBehind(await openMock({ records: 30 }), ({ kind, answer, number }) =>
    kind === 'token' && number > 2 ? elsewhere : answer,
  );
  expect(requirementOf(result, 'token/issued')).toMatchObject({
    verdict: 'inconclusive',
    cause: { kind: 'unavailable', status: 302 },
  });
});
