import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { conform } from '../../../src/run/conform.ts';
import { openMock, targetOf } from '../../support/judge-mock.ts';
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
