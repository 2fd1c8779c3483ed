import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Results } from '../../../src/core/results.ts';
import { built } from '../../support/built.ts';
import { corpus } from '../../support/hostile/corpus.ts';
import type { Hostile } from '../../support/hostile/hostile.ts';
import {
  frontOf,
  type Ground,
  secretsOf,
  startGround,
  targetFor,
} from '../../support/hostile/judge-hostile.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Most memory of a run in megabytes, for any provider. */
const MOST = 400;

let ground: Ground;
const scratch = temporaryFolder('memory');

beforeAll(async () => {
  ground = await startGround();
});
afterAll(() => ground.close());

/** Servers whose bodies take the most memory when every value is pseudonymised. */
const PSEUDONYMISED = ['gives a page of millions of numbers', 'opens 200,000 arrays and closes none'];

/** The one whose answers can be read, so that no requirement fails. */
const READABLE = 'puts just under a megabyte of empty arrays beside its tokens';

/** The peak memory of a process in megabytes, from the kernel. */
function peakOf(process: number | undefined): number {
  try {
    const kilobytes = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}

describe.skipIf(!existsSync('/proc/self/status'))('memory', { timeout: 400_000 }, () => {
  const bombs = corpus.filter(({ bomb }) => bomb !== undefined);
  const isVeiled = ({ does }: Hostile): boolean => PSEUDONYMISED.includes(does);

  it.each(bombs.filter((hostile) => !isVeiled(hostile)))('stays bounded where a server $does', (hostile) =>
    expectBounded(hostile, {}),
  );

  it.each(bombs.filter(isVeiled))(
    'stays bounded with pseudonymous evidence where a server $does',
    (hostile) => expectBounded(hostile, { evidence: 'pseudonymous' }),
  );
});

async function expectBounded(hostile: Hostile, more: object): Promise<void> {
  const front = await frontOf(hostile, ground);
  const file = path.join(scratch, 'target.json');
  writeFileSync(file, JSON.stringify({ ...targetFor(hostile, front.origin, ground), ...more }), {
    mode: 0o600,
  });
  const run = built.start(['run', file, '--json', '--quiet', '--out', 'run'], { cwd: scratch });
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, peakOf(run.process.pid));
  }, 20);
  const { status, out, err } = await run.ended;
  clearInterval(timer);
  await front.close();
  expect(err).not.toMatch(/^\s+at |heap/m);
  expect(out).not.toMatch(/\.[jt]s:\d+|TypeError|RangeError/);
  for (const secret of secretsOf(ground)) expect(out + err).not.toContain(secret);
  // Readable bodies cause no failure: only records are missing.
  expect(hostile.does === READABLE ? [0] : [1, 2, 3]).toContain(status);
  const { outcome, targets } = JSON.parse(out) as Results;
  expect(outcome).not.toBe('conformant');
  const causes = targets.flatMap(({ requirements }) => requirements.map(({ cause }) => cause?.kind));
  expect(causes).not.toContain('harness');
  expect(peak).toBeGreaterThan(30);
  expect(peak).toBeLessThan(MOST);
}
