import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { compiled } from './paths.ts';

/** The cost of a whole process, including start-up. */
export interface Cost {
  /** From spawn to exit. */
  readonly wallMs: number;
  /** User and system time of all its threads. */
  readonly cpuMs: number;
  /** Peak resident memory. */
  readonly peakMiB: number;
  readonly status: number | null;
  readonly out: string;
}

/** A process to measure. */
export interface Candidate {
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Exit statuses that count as success; only 0 by default. */
  readonly statuses?: readonly number[];
}

/**
 * Runs a Node.js process and measures it.
 *
 * @throws Error with its output if it exits with another status
 */
export async function measureProcess({ words, env = {}, cwd, statuses = [0] }: Candidate): Promise<Cost> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'assay-bench-'));
  const file = path.join(folder, 'usage.json');
  try {
    const started = performance.now();
    const child = spawn(process.execPath, ['--import', compiled('usage-recorder.js'), ...words], {
      cwd,
      env: { ...process.env, ...env, BENCH_USAGE: file, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    const wallMs = performance.now() - started;
    if (!statuses.some((one) => one === status))
      throw new Error(`${words.join(' ')} ended with ${status}:\n${out.slice(-1500)}\n${err.slice(-1500)}`);
    return {
      ...(JSON.parse(readFileSync(file, 'utf8')) as Pick<Cost, 'cpuMs' | 'peakMiB'>),
      wallMs,
      status,
      out,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The unit of process times in Linux. */
const TICK_MS = 10;

/** User and system time of a running process in milliseconds; NaN without /proc. */
export function cpuMsOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The program name, in brackets, may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Number.NaN;
  }
}
