import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Results, TargetResult } from '../../../src/core/results.ts';
import { verifyFolder } from '../../../src/evidence/seal/verify.ts';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { replay } from '../../../src/run/replay/replay.ts';
import type { TargetParts } from '../../../src/target/make.ts';
import type { Ended } from '../../support/built.ts';
import { judgeTarget, targetOf, verdictsOf, withVerdict } from '../../support/judge-mock.ts';
import { playwright, writeTargetFile } from '../../support/playwright-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Provider {
  readonly name: string;
  readonly defects: readonly string[];
  readonly parts: Partial<TargetParts>;
}

const CONFORMING: Provider = { name: 'conforming', defects: [], parts: {} };
const PSEUDONYMOUS: Provider = {
  name: 'pseudonymous',
  defects: ['limit-one-more'],
  parts: { evidence: 'pseudonymous' },
};
const DEFECTIVE: readonly Provider[] = [
  // One that is found by each of: a single answer, wrong tokens, the shrunk case of a property.
  'expires-in-text',
  'jwt-signature-stripped',
  'limit-one-more',
].map((defect) => ({ name: defect, defects: [defect], parts: {} }));
const PROVIDERS = [CONFORMING, PSEUDONYMOUS, ...DEFECTIVE];

/** Right tokens that checks ask for after their wrong requests, where each runs alone. */
const CONTROLS = 3;

const folder = temporaryFolder('hosts');
const out = path.join(folder, 'out');
const mocks = new Map<string, Mock>();
const inProcess = new Map<string, TargetResult>();
const requests = new Map<string, number>();
let run: Ended;
let results: Results;

beforeAll(async () => {
  const files: string[] = [];
  for (const { name, defects, parts } of PROVIDERS) {
    const mock = await startMock({ defects });
    mocks.set(name, mock);
    inProcess.set(name, await judgeTarget(targetOf(mock, { name, ...parts })));
    requests.set(name, -mock.requests());
    files.push(writeTargetFile(folder, mock, { name, ...parts }));
  }
  const env = { ASSAY_TARGETS: files.join(','), ASSAY_OUT: out, ASSAY_SEED: '42' };
  run = await playwright('test', [], { cwd: folder, env });
  results = JSON.parse(readFileSync(path.join(out, 'results.json'), 'utf8')) as Results;
  for (const [name, mock] of mocks) requests.set(name, (requests.get(name) ?? 0) + mock.requests());
}, 600_000);

afterAll(async () => {
  for (const mock of mocks.values()) await mock.close();
});

function both({ name }: Provider): readonly [TargetResult, TargetResult] {
  const hosted = results.targets.find((target) => target.name === name);
  const own = inProcess.get(name);
  if (hosted === undefined || own === undefined) throw new Error(`no result of ${name}:\n${run.out}`);
  return [hosted, own];
}

describe('Playwright Test and assay run', () => {
  it('agree on the conforming provider', () => {
    const [hosted, own] = both(CONFORMING);
    expect(verdictsOf(hosted)).toEqual(verdictsOf(own));
    expect(hosted).toMatchObject({ outcome: 'conformant', records: { printers: 1234 } });
  });

  it.each(DEFECTIVE)('agree on $name, and Playwright repeats no request', (provider) => {
    const [hosted, own] = both(provider);
    expect(verdictsOf(hosted)).toEqual(verdictsOf(own));
    expect(withVerdict(hosted, 'fail').length).toBeGreaterThan(0);
    expect(requests.get(provider.name)).toBe(hosted.traffic.requests);
    expect(hosted.traffic.requests).toBeLessThanOrEqual(own.traffic.requests + CONTROLS);
  });

  it('agree where records have pseudonyms', () => {
    const [hosted, own] = both(PSEUDONYMOUS);
    expect(verdictsOf(hosted)).toEqual(verdictsOf(own));
  });

  it('leave a complete, sealed run that replays to the same verdicts without a request', async () => {
    expect(run.status).toBe(1);
    expect(results.run.complete).toBe(true);
    const before = [...mocks.values()].map((mock) => mock.requests());
    expect(await replay(results, path.join(out, 'evidence.ndjson.gz'))).toMatchObject({
      missing: [],
      differences: [],
    });
    expect([...mocks.values()].map((mock) => mock.requests())).toEqual(before);
    expect(await verifyFolder(out, null)).toMatchObject({ problems: [], signature: 'unsigned' });
  });
});
