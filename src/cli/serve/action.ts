import { REPORTS } from '../../report/run-folder.ts';
import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { flag, text, wholeNumber } from '../shared/arguments.ts';
import { EXIT, type ExitStatus } from '../shared/exit-status.ts';
import { watchInterruption } from '../shared/interruption.ts';
import { expectFolder } from '../shared/run-list.ts';
import { UsageError } from '../shared/usage-error.ts';
import { startReportServer } from './server.ts';

/**
 * Carries out `assay serve`: standard output receives the address and nothing else.
 *
 * @throws UsageError where the port is taken, or the folder is not there
 */
export async function performServe(args: Arguments, host: Host): Promise<ExitStatus> {
  const named = text(args, 'dir');
  // The usual one comes to be with the first run, which may be waited for.
  if (named !== null) expectFolder(named);
  const folder = named ?? REPORTS;
  const port = wholeNumber(args, 'port', { least: 0, most: 65_535 }) ?? 0;
  const server = await startReportServer(folder, port).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EADDRINUSE') throw new UsageError(`port ${port} is taken; --port 0 finds a free one`);
    throw error;
  });
  const stopped = new Promise<void>((resolve) => {
    watchInterruption(resolve, () => undefined);
  });
  const { address } = server;
  host.out.write(flag(args, 'json') ? `${JSON.stringify({ address })}\n` : `${address}\n`);
  host.err.write(`Showing ${folder} there until Ctrl-C, to this machine alone.\n`);
  await stopped;
  await server.close();
  return EXIT.ok;
}
