import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Results } from '../../../src/core/results.ts';
import { verifyFolder } from '../../../src/evidence/seal/verify.ts';
import { startMock } from '../../../src/mock/index.ts';
import { replay } from '../../../src/run/replay.ts';
import type { TargetParts } from '../../../src/target/make.ts';
import { judgeTarget, targetOf, withVerdict } from '../../support/judge-mock.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');
const scratch = mkdtempSync(path.join(os.tmpdir(), 'assay-hosts-'));

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** One provider, judged in process and by Playwright Test; resolves to both verdicts of every requirement. */
async function bothHosts(name: string, defects: readonly string[], parts: Partial<TargetParts> = {}) {
  const mock = await startMock({ defects });
  try {
    const out = path.join(scratch, name);
    const inProcess = await judgeTarget(targetOf(mock, parts));
    const before = mock.requests();
    const { authUrl, baseUrl, tenant, credentials, otherCredentials } = mock;
    const file = path.join(scratch, `${name}.json`);
    writeFileSync(
      file,
      JSON.stringify({
        name: 'mock',
        authUrl,
        baseUrl,
        tenant,
        credentials,
        otherCredentials,
        limits: { requestsPerSecond: 1000 },
        ...parts,
      }),
    );
    const { status, output } = await playwright({ ASSAY_TARGETS: file, ASSAY_OUT: out, ASSAY_SEED: '42' });
    const results = JSON.parse(readFileSync(path.join(out, 'results.json'), 'utf8')) as Results;
    const requests = mock.requests() - before;
    const again = await replay(results, path.join(out, 'evidence.ndjson.gz'));
    const { problems, signature } = await verifyFolder(out, null);
    expect(mock.requests() - before).toBe(requests);
    return { inProcess, results, status, output, requests, again, sealed: { problems, signature } };
  } finally {
    await mock.close();
  }
}

function playwright(
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly status: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn('npx', ['playwright', 'test', '--output', path.join(scratch, 'test-results')], {
      cwd: root,
      env: { ...process.env, ...environment, FORCE_COLOR: '0' },
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.on('close', (status) => resolve({ status, output }));
  });
}

const verdicts = (target: {
  readonly requirements: readonly { readonly id: string; readonly verdict: string }[];
}) => Object.fromEntries(target.requirements.map(({ id, verdict }) => [id, verdict]));

const SAME = { missing: [], differences: [] };

describe('two hosts, one suite', () => {
  it('agree on the conforming provider', async () => {
    const { inProcess, results, status, output, again, sealed } = await bothHosts('conforming', []);
    const [target] = results.targets;
    if (target === undefined) throw new Error(output);
    expect(verdicts(target)).toEqual(verdicts(inProcess));
    expect(status).toBe(0);
    expect(results.outcome).toBe('conformant');
    expect(results.run.complete).toBe(true);
    expect(target.records).toEqual({ printers: 1234 });
    expect(again).toMatchObject(SAME);
    expect(sealed).toEqual({ problems: [], signature: 'unsigned' });
  });

  it.each([
    'expires-in-text',
    'secret-any',
    'client-any-case',
    'gate-open',
    'jwt-signature-stripped',
    'item-agent-null',
    'limit-one-more',
    'link-absolute',
    'skip-one-too-few',
    'traversal-boundary-lost',
    'count-of-page',
  ])('agree on %s', async (defect) => {
    const { inProcess, results, status, output, requests, again } = await bothHosts(defect, [defect]);
    const [target] = results.targets;
    if (target === undefined) throw new Error(output);
    expect(verdicts(target)).toEqual(verdicts(inProcess));
    expect(withVerdict(target, 'fail')).not.toEqual([]);
    expect(status).toBe(1);
    // A failing test costs its worker; the next one finds the evidence on disk and asks nothing twice but a token. Checks
    // that run one by one ask for a right token each after their wrong requests.
    const fails = withVerdict(target, 'fail').length;
    const controls = 3;
    expect(requests).toBeLessThanOrEqual(inProcess.traffic.requests + 3 * fails + controls);
    expect(again).toMatchObject(SAME);
  });

  it('agree where workers after the first meet the records under the pseudonyms of the first', async () => {
    const parts = { evidence: 'pseudonymous' } as const;
    const { inProcess, results, output, again } = await bothHosts('veiled', ['limit-one-more'], parts);
    const [target] = results.targets;
    if (target === undefined) throw new Error(output);
    expect(verdicts(target)).toEqual(verdicts(inProcess));
    expect(again).toMatchObject(SAME);
  });
});
