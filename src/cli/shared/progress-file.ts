import { appendFileSync } from 'node:fs';
import { jsonLine } from '../../core/json-text.ts';
import type { RunEvent } from '../../core/results.ts';

/** Name of the file in which a run tells how it goes on, in its folder until it is finished. */
export const PROGRESS = 'progress.ndjson';

/** How often requests are told, in milliseconds; verdicts are told at once, those of one turn of the loop together. */
const TOLD_EVERY_MS = 500;

/**
 * Notes how a run goes on as JSON lines in its folder, so that `assay serve` can show it. It holds what reports will
 * hold and no more. A file that cannot be written ends the notes, not the run.
 */
export function progressFile(file: string, now: () => number = Date.now): (event: RunEvent) => void {
  let lost = false;
  let toldAt = 0;
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
    } else if (event.type === 'progress' && now() - toldAt >= TOLD_EVERY_MS) {
      toldAt = now();
      write({ type: 'progress', target: event.target, requests: event.requests });
    }
  };
}
