import type { Command } from '../command.ts';

/** `assay history`: one page about all runs in a folder. */
export const historyCommand: Command = {
  name: 'history',
  usage: 'history [dir]',
  summary: 'Charts the runs in a folder over time: outcomes, requirements, latency, requests, flakiness',
  positionals: { dir: { type: 'string', describe: 'folder of runs; default: reports', values: 'folder' } },
  options: {
    out: { type: 'string', describe: 'page to write; default: history.html in the folder', values: 'file' },
    open: { type: 'boolean', describe: 'open it in the browser' },
    json: { type: 'boolean', describe: 'print the page and its runs as JSON' },
  },
  examples: [['assay history', 'writes reports/history.html']],
  execute: async (args, host) => (await import('./action.ts')).performHistory(args, host),
};
