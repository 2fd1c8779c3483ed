import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { FORMATS } from '../../../src/report/formats/table.ts';
import { built } from '../../support/built.ts';
import { echoing } from '../../support/hostile/echo.ts';
import { filesBelow, formsOf, found } from '../../support/hostile/traces-of.ts';
import { authority } from '../../support/http/certificates.ts';
import { openFront } from '../../support/judge-mock.ts';
import { playwright } from '../../support/playwright-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Each contains characters that some format escapes.
const CLIENT_SECRET = 'canary/One+with =all "of\\it&<b>%41 ß~client';
const OTHER_SECRET = "canary-two;{other}'s|secret^`#?!,.:@$*()[]";
const EXPIRED = 'canary-three.expired.token-0123456789_abcdef';
const API_KEY = 'canary-four/api+key==0123456789abcdef';
const CLIENT = { clientId: 'client-one', clientSecret: CLIENT_SECRET, scope: 'printers.read' };
const OTHER = { clientId: 'client-two', clientSecret: OTHER_SECRET, scope: 'printers.read' };

let mock: Mock;
const scratch = temporaryFolder('canaries');
const issued = new Set<string>();

beforeAll(async () => {
  mkdirSync(path.join(scratch, 'tmp'));
  mock = await startMock({ records: 60, credentials: CLIENT, otherCredentials: OTHER });
});

afterAll(async () => {
  await mock.close();
});

/** Starts a new provider, and writes its target file. */
async function echo(name: string): Promise<string> {
  const front = await openFront(mock, echoing(issued));
  const target = {
    name: 'echo',
    authUrl: front,
    baseUrl: front,
    tenant: mock.tenant,
    credentials: CLIENT,
    otherCredentials: OTHER,
    expiredToken: EXPIRED,
    headers: { 'X-Api-Key': API_KEY },
    limits: { requestsPerSecond: 1000 },
  };
  const file = path.join(scratch, `${name}.json`);
  writeFileSync(file, JSON.stringify(target), { mode: 0o600 });
  return file;
}

/** Every canary with its forbidden forms. */
function canaries(): ReadonlyMap<string, readonly string[]> {
  return new Map([
    ['the client secret', formsOf(CLIENT_SECRET, 'client-one')],
    ['the second secret', formsOf(OTHER_SECRET, 'client-two')],
    ['the expired token', formsOf(EXPIRED, null)],
    ['the secret header', formsOf(API_KEY, null)],
    ...[...issued].map((token, index) => [`token ${index + 1}`, formsOf(token, null)] as const),
  ]);
}

/** The locations of canaries in the output and folders of a run. */
function leaks(printed: string, folders: readonly string[]): readonly string[] {
  const forms = canaries();
  const places = [...found('the output', Buffer.from(printed), forms)];
  for (const folder of folders)
    for (const [name, bytes] of filesBelow(folder)) places.push(...found(name, bytes, forms));
  return places;
}

/** Watches the command lines of all processes until stopped; returns those with a canary. */
function watchArguments(): () => readonly string[] {
  const seen = new Set<string>();
  const look = (): void => {
    for (const process of processes()) {
      try {
        seen.add(readFileSync(`/proc/${process}/cmdline`, 'utf8'));
      } catch {
        // The process has ended.
      }
    }
  };
  const timer = setInterval(look, 20);
  return () => {
    clearInterval(timer);
    return [...seen].flatMap((line) => found('a command line', Buffer.from(line), canaries()));
  };
}

function processes(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

describe('a provider that repeats every secret', () => {
  it('causes no secret in the output and files of `assay run`', async () => {
    const stop = watchArguments();
    const cwd = path.join(scratch, 'cli');
    mkdirSync(cwd);
    const env = { TMPDIR: path.join(scratch, 'tmp') };
    const words = ['--seed', '5', '--format', FORMATS.join(',')];
    const plain = await built.start(['run', await echo('plain'), ...words, '--out', 'run'], { cwd, env })
      .ended;
    const second = ['run', await echo('json'), '--suite', 'smoke', ...words, '--out', 'json', '--json'];
    const json = await built.start(second, { cwd, env }).ended;
    expect(plain).toMatchObject({ status: 1 });
    expect(issued.size).toBeGreaterThan(2);
    // The secrets were echoed, and are replaced by their labels.
    const results = readFileSync(path.join(cwd, 'run', 'results.json'), 'utf8');
    expect(results).toMatch(/\[(token-\d+|client-secret|expired-token)\]/);
    const printed = [plain.out, plain.err, json.out, json.err].join('\n');
    // The search would find each of them.
    for (const [canary, [form = '']] of canaries())
      expect(leaks(`before ${form} behind`, []).join()).toContain(`${canary} is in the output`);
    expect(leaks(printed, [cwd, path.join(scratch, 'tmp')])).toEqual([]);
    expect(stop()).toEqual([]);
  });

  it('causes no secret in the output and files of Playwright', async () => {
    const stop = watchArguments();
    const output = path.join(scratch, 'test-results');
    const blobs = path.join(scratch, 'blobs');
    // A shard writes all files of a run, and a Playwright blob.
    const env = {
      ASSAY_TARGETS: await echo('playwright'),
      ASSAY_OUT: path.join(scratch, 'playwright'),
      // Enough for every kind of file.
      ASSAY_SUITE: 'smoke',
      ASSAY_SEED: '5',
      PLAYWRIGHT_BLOB_OUTPUT_FILE: path.join(blobs, 'report.zip'),
      TMPDIR: path.join(scratch, 'tmp'),
    };
    const words = ['--trace', 'on', '--output', output, '--shard', '1/1'];
    const { out, err } = await playwright('test', words, { cwd: scratch, env });
    const printed = out + err;
    expect(printed).toContain('Assay (shard 1/1): non-conformant');
    const folders = [output, blobs, path.join(scratch, 'playwright'), path.join(scratch, 'tmp')];
    const names = [...filesBelow(blobs)].map(([name]) => name);
    expect(names).toContain(path.join(blobs, 'report.zip (report.jsonl)'));
    expect(leaks(printed, folders)).toEqual([]);
    expect(stop()).toEqual([]);
  });
});

describe('a private key', () => {
  it('is not in the output or files of a run, even if invalid', async () => {
    const cwd = path.join(scratch, 'key');
    mkdirSync(cwd);
    const front = await openFront(mock, echoing(issued));
    const { cert, key } = await authority('client');
    writeFileSync(path.join(cwd, 'client.pem'), cert);
    writeFileSync(path.join(cwd, 'client.key'), key, { mode: 0o600 });
    const secure = front.replace('http:', 'https:');
    const target = {
      authUrl: secure,
      baseUrl: secure,
      credentials: CLIENT,
      tls: { cert: 'client.pem', key: 'client.key' },
    };
    writeFileSync(path.join(cwd, 'target.json'), JSON.stringify(target), { mode: 0o600 });
    const words = ['run', 'target.json', '--suite', 'smoke', '--out', 'run', '--format', 'junit,markdown'];
    const { status, out, err } = await built.start(words, { cwd }).ended;
    expect(status).toBe(3);
    const lines = key.split('\n').filter((line) => line !== '' && !line.startsWith('-'));
    const canaries = new Map([['the key', [...lines, ...lines.map((line) => line.slice(-20))]]]);
    expect(found('the output', Buffer.from(out + err), canaries)).toEqual([]);
    for (const [name, bytes] of filesBelow(path.join(cwd, 'run')))
      expect(found(name, bytes, canaries)).toEqual([]);
  });
});
