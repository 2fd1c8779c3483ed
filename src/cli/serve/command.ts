import type { Command } from '../command.ts';

/** `assay serve`: shows a folder of runs on loopback. */
export const serveCommand: Command = {
  name: 'serve',
  usage: 'serve [dir]',
  summary: 'Shows a folder of runs on loopback, updated while a run is in progress',
  positionals: { dir: { type: 'string', describe: 'folder of runs; default: reports', values: 'folder' } },
  options: {
    port: { type: 'string', describe: 'port on loopback; default: 0, any free port' },
    json: { type: 'boolean', describe: 'print the address as JSON' },
  },
  examples: [['assay serve', 'prints the address to open']],
  execute: async (args, host) => (await import('./action.ts')).performServe(args, host),
};
