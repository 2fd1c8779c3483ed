import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { assayRun } from '../assay.ts';
import type { Row } from '../comparison.ts';
import type { Part } from '../part.ts';
import { command } from '../paths.ts';
import { measureProcess } from '../process.ts';
import { startProvider, targetFile } from '../provider/start.ts';
import { rounded } from '../statistics.ts';

const TARGETS = 1000;

export const soak: Part = {
  name: 'soak',
  about:
    'The smoke suite on 1,000 targets in one run, by 100 targets. Open descriptors are counted during the run.',
  measure: async (folder): Promise<readonly Row[]> => {
    const provider = await startProvider({ records: 1234, latencyMs: 0 });
    try {
      const files = Array.from({ length: TARGETS }, (_none, index) =>
        targetFile(folder, `soak-${index}`, provider, { prefix: `/s${index}` }),
      );
      const run = (count: number) => assayRun(files.slice(0, count), folder, '--suite', 'smoke');
      const few = await measureProcess(run(100));
      const many = await measureProcess(run(TARGETS));
      const descriptors = await maxDescriptors([command, ...run(TARGETS).words.slice(1)]);
      return [
        { what: '1,000 targets', value: rounded(many.wallMs / 1000), unit: 's', bar: 300 },
        { what: 'a target', value: rounded(many.wallMs / TARGETS), unit: 'ms' },
        { what: 'peak memory of 100 targets', value: rounded(few.peakMiB), unit: 'MiB' },
        { what: 'peak memory of 1,000 targets', value: rounded(many.peakMiB), unit: 'MiB' },
        ...(descriptors === null
          ? []
          : [
              { what: 'open descriptors, first third of the run', value: descriptors.early, unit: '' },
              { what: 'open descriptors, last third of the run', value: descriptors.late, unit: '' },
            ]),
      ];
    } finally {
      provider.stop();
    }
  },
};

/** The maximum number of open descriptors in the first and last third of a process; null without /proc. */
async function maxDescriptors(
  words: readonly string[],
): Promise<{ readonly early: number; readonly late: number } | null> {
  const child = spawn(process.execPath, [...words], { stdio: 'ignore' });
  const counts: number[] = [];
  const watch = setInterval(() => {
    try {
      counts.push(readdirSync(`/proc/${child.pid}/fd`).length);
    } catch {
      // The process has ended.
    }
  }, 50);
  await new Promise((resolve) => child.on('close', resolve));
  clearInterval(watch);
  const third = Math.floor(counts.length / 3);
  if (third === 0) return null;
  return { early: Math.max(...counts.slice(0, third)), late: Math.max(...counts.slice(-third)) };
}
