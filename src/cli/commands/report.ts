import { FORMATS } from '../../report/formats/table.ts';
import type { Command } from '../command.ts';

/** `assay report RUN`: renders a finished run again. */
export const reportCommand: Command = {
  name: 'report',
  usage: 'report <run>',
  summary: 'Shows a finished run again and renders it in any format',
  positionals: { run: { type: 'string', describe: 'a folder, a run id below reports/, or latest' } },
  options: {
    format: { type: 'string', array: true, describe: FORMATS.join(', ') },
    open: { type: 'boolean', describe: 'show report.html in the browser' },
    target: { type: 'string', describe: 'shows one target of the run, whole' },
    out: { type: 'string', describe: "folder for the rendered files; the run's own unless given" },
    json: { type: 'boolean', describe: 'results on standard output, everything else on standard error' },
  },
  examples: [
    ['assay report latest --format junit,markdown', 'further formats of the newest run'],
    ['assay report latest --target acme --open', 'one target of many, with all its evidence'],
  ],
  execute: async (args, host) => (await import('../perform-report.ts')).performReport(args, host),
};
