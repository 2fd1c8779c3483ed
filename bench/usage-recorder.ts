/** Preloaded into every measured process; writes its resource usage on exit. */
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env['BENCH_USAGE'];
if (file !== undefined && isMainThread) {
  // Child processes are not measured.
  delete process.env['BENCH_USAGE'];
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    writeFileSync(
      file,
      JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMiB: maxRSS / 1024 }),
    );
  });
}
