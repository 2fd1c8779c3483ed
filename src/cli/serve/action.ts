import { codeOf } from '../../core/system-error.ts';
import { REPORTS } from '../../report/folder/run-folder.ts';
import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { flag, text, wholeNumber } from '../shared/options/arguments.ts';
import { EXIT, type ExitStatus, UsageError } from '../shared/process/exit-status.ts';
import { untilInterrupted } from '../shared/process/interruption.ts';
import { expectFolder } from '../shared/run-files/results-file.ts';
import { startReportServer } from './server.ts';

/**
 * Runs `assay serve`. Standard output receives only the address.
 *
 * @throws UsageError if the port is in use, or the folder does not exist
 */
export async function performServe(args: Arguments, host: Host): Promise<ExitStatus> {
  const named = text(args, 'dir');
  // The default folder is created by the first run, so it may not exist yet.
  if (named !== null) expectFolder(named);
  const folder = named ?? REPORTS;
  const port = wholeNumber(args, 'port', { least: 0, most: 65_535 }) ?? 0;
  const server = await startReportServer(folder, port).catch((error: unknown) => {
    const code = codeOf(error);
    if (code === 'EADDRINUSE') throw new UsageError(`port ${port} is in use; --port 0 chooses a free one`);
    throw error;
  });
  const stopped = untilInterrupted();
  const { address } = server;
  host.out.write(flag(args, 'json') ? `${JSON.stringify({ address })}\n` : `${address}\n`);
  host.err.write(`Showing ${folder} on this machine only. Press Ctrl+C to stop.\n`);
  await stopped;
  await server.close();
  return EXIT.ok;
}
