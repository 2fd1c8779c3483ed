import type { Command } from '../command.ts';

/** `assay serve`: shows a folder of runs on loopback. */
export const serveCommand: Command = {
  name: 'serve',
  usage: 'serve [dir]',
  summary: 'Shows a folder of runs on loopback, live while a run goes on',
  positionals: { dir: { type: 'string', describe: 'a folder of runs; reports unless given' } },
  options: {
    port: { type: 'string', describe: 'port on loopback; 0, which takes any free one, unless given' },
    json: { type: 'boolean', describe: 'the address, as JSON' },
  },
  examples: [['assay serve', 'prints the address to open']],
  execute: async (args, host) => (await import('./action.ts')).performServe(args, host),
};
