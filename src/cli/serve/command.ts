import { type Command, EXIT, untilInterrupted } from '../command.ts';
import { expectPort, flag, text, wholeNumber } from '../shared/options.ts';

export const serveCommand: Command = {
  name: 'serve',
  usage: 'serve [dir]',
  summary: 'Shows a folder of runs on loopback, updated while a run is in progress',
  positionals: { dir: { describe: 'folder of runs; default: reports', values: 'folder' } },
  options: {
    port: { value: 'P', describe: 'port on loopback; default: 0, any free port' },
    json: { describe: 'print the address as JSON' },
  },
  examples: [['assay serve', 'prints the address to open']],
  execute: async (args, host) => {
    const { expectFolder } = await import('../shared/run-files/results-file.ts');
    const { REPORTS } = await import('../../report/folder/run-folder.ts');
    const { startReportServer } = await import('./server.ts');
    const named = text(args, 'dir');
    // The default folder is created by the first run, so it may not exist yet.
    if (named !== null) expectFolder(named);
    const folder = named ?? REPORTS;
    const port = wholeNumber(args, 'port', { least: 0, most: 65_535 }) ?? 0;
    const server = await startReportServer(folder, port).catch((error: unknown) => {
      expectPort(error, port);
      throw error;
    });
    const stopped = untilInterrupted();
    const { address } = server;
    host.out.write(flag(args, 'json') ? `${JSON.stringify({ address })}\n` : `${address}\n`);
    host.err.write(`Showing ${folder} on this machine only. Press Ctrl+C to stop.\n`);
    await stopped;
    await server.close();
    return EXIT.ok;
  },
};
