import { writeSync } from 'node:fs';

/** Exit status of a run that could not be carried out. */
const NOT_CARRIED_OUT = 3;
/** Exit status after a second Ctrl+C. */
const INTERRUPTED = 130;

/** Modules of the custom checks that are running, one entry per call. */
const running = new Set<{ readonly files: readonly string[] }>();

/**
 * Runs work that executes custom checks. If a check ends the process by `process.exit` or an uncaught error,
 * the exit status becomes 3, because other statuses mean a verdict.
 */
export async function withExitGuard<Result>(
  files: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const entry = { files };
  if (running.size === 0) process.on('exit', onExit);
  running.add(entry);
  try {
    return await work();
  } finally {
    running.delete(entry);
    if (running.size === 0) process.off('exit', onExit);
  }
}

function onExit(status: number): void {
  if (status === INTERRUPTED) return;
  process.exitCode = NOT_CARRIED_OUT;
  const files = [...new Set([...running].flatMap((entry) => entry.files))];
  const what = files.length === 0 ? 'custom checks' : `the checks in ${files.join(', ')}`;
  writeSync(2, `assay: ${what} ended the process with status ${status}; nothing was tested\n`);
}
