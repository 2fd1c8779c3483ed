import { appendFileSync } from 'node:fs';
import { jsonLine } from '../../../core/json-text.ts';
import type { RunEvent } from '../../../core/results.ts';

/** Name of the progress file in a run's folder; removed when the run is finished. */
export const PROGRESS = 'progress.ndjson';

/** Minimum interval between request counts, in milliseconds. Verdicts are written immediately. */
const REQUESTS_INTERVAL_MS = 500;

/** Writes the progress of a run as JSON lines for `assay serve`. If that fails, the run continues without it. */
export function progressFile(file: string, now: () => number = Date.now): (event: RunEvent) => void {
  let lost = false;
  let writtenAt = 0;
  let lines = '';
  const flush = (): void => {
    try {
      appendFileSync(file, lines);
    } catch {
      lost = true;
    }
    lines = '';
  };
  const write = (line: object): void => {
    if (lost) return;
    if (lines === '') setImmediate(flush);
    lines += `${jsonLine(line)}\n`;
  };
  return (event) => {
    if (event.type === 'target-started') write(event);
    else if (event.type === 'verdict') {
      const { id, verdict, reason } = event.result;
      write({ type: 'verdict', target: event.target, id, verdict, reason });
    } else if (event.type === 'progress' && now() - writtenAt >= REQUESTS_INTERVAL_MS) {
      writtenAt = now();
      write({ type: 'progress', target: event.target, requests: event.requests });
    }
  };
}
