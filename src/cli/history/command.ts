import type { Command } from '../command.ts';

/** `assay history`: a page over all runs of a folder. */
export const historyCommand: Command = {
  name: 'history',
  usage: 'history [dir]',
  summary: "Draws a folder's runs over time: outcomes, requirements, latency, requests, what is flaky",
  positionals: { dir: { type: 'string', describe: 'a folder of runs; reports unless given' } },
  options: {
    out: { type: 'string', describe: 'the page to write; history.html in the folder unless given' },
    open: { type: 'boolean', describe: 'show it in the browser' },
    json: { type: 'boolean', describe: 'the page and the runs on it, as JSON' },
  },
  examples: [['assay history', 'writes reports/history.html']],
  execute: async (args, host) => (await import('./action.ts')).performHistory(args, host),
};
