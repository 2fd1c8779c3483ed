import { appendFileSync, closeSync, openSync } from 'node:fs';
import { jsonLine } from '../../core/json-text.ts';
import type { LogLine } from '../../mock/index.ts';
import { UsageError } from '../shared/usage-error.ts';

/** A log file of requests, one JSON object per line. */
export interface LogFile {
  readonly add: (line: LogLine) => void;
  readonly close: () => void;
}

/**
 * Opens a new log file. Each request is written immediately, so that the file can be followed.
 *
 * @param onLost called once, with a sentence, if writing fails
 * @throws UsageError if the file cannot be opened
 */
export function openLog(file: string, onLost: (sentence: string) => void): LogFile {
  const handle = openLogFile(file);
  let lost = false;
  return {
    add: (line) => {
      if (lost) return;
      try {
        appendFileSync(handle, `${jsonLine(line)}\n`);
      } catch (error) {
        lost = true;
        onLost(`The log ${file} is incomplete: ${error instanceof Error ? error.message : String(error)}.`);
      }
    },
    close: () => closeSync(handle),
  };
}

function openLogFile(file: string): number {
  try {
    return openSync(file, 'w', 0o600);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(`cannot write the log ${file} (${reason})`);
  }
}
