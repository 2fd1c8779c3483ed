import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { describeSystemError } from '../../core/system-error.ts';
import { type Command, EXIT, UsageError } from '../command.ts';
import { flag, printFacts, text } from '../shared/options.ts';

export const historyCommand: Command = {
  name: 'history',
  usage: 'history [dir]',
  summary: 'Charts the runs in a folder over time: outcomes, requirements, latency, requests, flakiness',
  positionals: { dir: { describe: 'folder of runs; default: reports', values: 'folder' } },
  options: {
    out: { value: 'FILE', describe: 'page to write; default: history.html in the folder', values: 'file' },
    open: { describe: 'open it in the browser' },
    json: { describe: 'print the page and its runs as JSON' },
  },
  examples: [['assay history', 'writes reports/history.html']],
  execute: async (args, host) => {
    const { listRuns } = await import('../shared/run-files/results-file.ts');
    const { REPORTS } = await import('../../report/folder/run-folder.ts');
    const folder = text(args, 'dir') ?? REPORTS;
    const page = text(args, 'out') ?? path.join(folder, 'history.html');
    const runs = await listRuns(folder, host.warn);
    if (runs.length === 0 && existsSync(path.join(folder, FILE_NAMES.results)))
      throw new UsageError(`${folder} is one run; name the folder that holds it and others`);
    if (runs.length === 0) throw new UsageError(`${folder} contains no run; assay run writes one`);
    const link = (name: string): string =>
      path
        .relative(path.dirname(page), path.join(folder, name, 'report.html'))
        .split(path.sep)
        .map(encodeURIComponent)
        .join('/');
    const { renderHistory } = await import('../../report/history/history-page.tsx');
    const html = renderHistory(runs.map(({ name, results }) => ({ link: link(name), results })));
    await writeFile(page, html).catch((error: unknown) => {
      throw new UsageError(`${page} cannot be written: ${describeSystemError(error)}`);
    });
    const { plural } = await import('../../report/wording/phrases.ts');
    const words = `Written: ${page} (${plural(runs.length, 'run')})\n`;
    printFacts({ page, runs: runs.map(({ name }) => name) }, words, args, host);
    if (flag(args, 'open')) await (await import('../shared/file-opener.ts')).openFile(page, host.env);
    return EXIT.ok;
  },
};
