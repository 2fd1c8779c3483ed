import { jsonText } from '../../core/json-text.ts';
import { compareRuns } from '../../report/diff/comparison.ts';
import { renderDiffMarkdown, renderDiffText } from '../../report/diff/diff-text.ts';
import type { Arguments } from '../command.ts';
import type { Host } from '../host.ts';
import { flag, oneOf } from '../shared/options/arguments.ts';
import { DIFF_LAYOUTS } from '../shared/options/option-declarations.ts';
import { EXIT, type ExitStatus } from '../shared/process/exit-status.ts';
import { readResults, resultsFile } from '../shared/run-files/results-file.ts';

/**
 * Runs `assay diff`: status 1 if something got worse.
 *
 * @throws UsageError if a run cannot be read
 */
export async function performDiff(args: Arguments, host: Host): Promise<ExitStatus> {
  const given = oneOf(args, 'format', DIFF_LAYOUTS);
  const format = flag(args, 'json') ? 'json' : (given ?? 'text');
  const before = await readResults(await resultsFile(String(args['before'])));
  const after = await readResults(await resultsFile(String(args['after'])));
  const comparison = compareRuns(before, after);
  if (format === 'json') host.out.write(`${jsonText(comparison)}\n`);
  else host.out.write(format === 'markdown' ? renderDiffMarkdown(comparison) : renderDiffText(comparison));
  return comparison.gotWorse ? EXIT.failed : EXIT.ok;
}
