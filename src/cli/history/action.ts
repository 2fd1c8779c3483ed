import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { jsonText } from '../../core/json-text.ts';
import { describeSystemError } from '../../core/system-error.ts';
import { REPORTS } from '../../report/folder/run-folder.ts';
import { plural } from '../../report/wording/phrases.ts';
import type { Arguments } from '../command.ts';
import { type Host, warnerOf } from '../host.ts';
import { flag, text } from '../shared/options/arguments.ts';
import { EXIT, type ExitStatus, UsageError } from '../shared/process/exit-status.ts';
import { listRuns } from '../shared/run-files/results-file.ts';

/**
 * Runs `assay history`.
 *
 * @throws UsageError if the folder contains no run
 */
export async function performHistory(args: Arguments, host: Host): Promise<ExitStatus> {
  const folder = text(args, 'dir') ?? REPORTS;
  const place = text(args, 'out') ?? path.join(folder, 'history.html');
  const runs = await listRuns(folder, warnerOf(host));
  if (runs.length === 0) throw new UsageError(`${folder} contains no run; assay run writes one`);
  const { renderHistory } = await import('../../report/history/history-page.tsx');
  const link = (name: string): string =>
    path
      .relative(path.dirname(place), path.join(folder, name, 'report.html'))
      .split(path.sep)
      .map(encodeURIComponent)
      .join('/');
  const page = renderHistory(runs.map(({ name, results }) => ({ link: link(name), results })));
  await writeFile(place, page).catch((error: unknown) => {
    throw new UsageError(`${place} cannot be written: ${describeSystemError(error)}`);
  });
  const summary = { page: place, runs: runs.map(({ name }) => name) };
  if (flag(args, 'json')) host.out.write(`${jsonText(summary)}\n`);
  else host.out.write(`Written: ${place} (${plural(runs.length, 'run')})\n`);
  if (flag(args, 'open')) await (await import('../shared/process/file-opener.ts')).openFile(place, host.env);
  return EXIT.ok;
}
