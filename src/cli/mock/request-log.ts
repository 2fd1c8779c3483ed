import { appendFileSync, closeSync, openSync } from 'node:fs';
import { jsonLine } from '../../core/json-text.ts';
import { codeOf, messageOf } from '../../core/system-error.ts';
import type { LogLine } from '../../mock/index.ts';
import { UsageError } from '../shared/process/usage-error.ts';

/** A file of requests, one JSON object per line. */
export interface RequestLog {
  readonly add: (line: LogLine) => void;
  readonly close: () => void;
}

/**
 * Opens a new log. Each request is written immediately, so that the file can be followed.
 *
 * @param onLost called once, with a sentence, if writing fails
 * @throws UsageError if the file cannot be opened
 */
export function openRequestLog(file: string, onLost: (sentence: string) => void): RequestLog {
  const handle = openFile(file);
  let lost = false;
  return {
    add: (line) => {
      if (lost) return;
      try {
        appendFileSync(handle, `${jsonLine(line)}\n`);
      } catch (error) {
        lost = true;
        onLost(`The log ${file} is incomplete: ${messageOf(error)}.`);
      }
    },
    close: () => closeSync(handle),
  };
}

function openFile(file: string): number {
  try {
    return openSync(file, 'w', 0o600);
  } catch (error) {
    const reason = codeOf(error) ?? String(error);
    throw new UsageError(`cannot write the log ${file} (${reason}); choose another file with --log`);
  }
}
