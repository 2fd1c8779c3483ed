import { FORMATS } from '../../report/formats/table.ts';
import type { Command } from '../command.ts';
import { finishedRun, resultsAsJson } from '../shared/options.ts';

export const reportCommand: Command = {
  name: 'report',
  usage: 'report <run>',
  summary: 'Shows a finished run again and renders it in any format',
  positionals: { run: finishedRun },
  options: {
    format: { value: 'NAME', array: true, describe: FORMATS.join(', '), values: 'format' },
    open: { describe: 'open report.html in the browser' },
    target: { value: 'NAME', describe: 'only this target of the run, in full detail' },
    out: {
      value: 'DIR',
      describe: 'folder for the rendered files; default: the folder of the run',
      values: 'folder',
    },
    json: resultsAsJson,
  },
  examples: [
    ['assay report latest --format junit,markdown', 'further formats of the newest run'],
    ['assay report latest --target acme --open', 'one target of many, with all its evidence'],
  ],
  execute: async (args, host) => (await import('./action.ts')).performReport(args, host),
};
