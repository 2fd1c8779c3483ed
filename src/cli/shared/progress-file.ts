import { appendFileSync } from 'node:fs';
import { jsonLine } from '../../core/json-text.ts';
import type { RunEvent } from '../../core/results.ts';

/** Name of the file with the progress of a run, in its folder until the run is finished. */
export const PROGRESS = 'progress.ndjson';

/** Least time between two counts of requests, in milliseconds. Verdicts are written at once. */
const REQUESTS_EVERY_MS = 500;

/**
 * Writes the progress of a run as JSON lines for `assay serve`. The file contains nothing that reports will not contain.
 * If it cannot be written, the run continues without it.
 */
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
    } else if (event.type === 'progress' && now() - writtenAt >= REQUESTS_EVERY_MS) {
      writtenAt = now();
      write({ type: 'progress', target: event.target, requests: event.requests });
    }
  };
}
