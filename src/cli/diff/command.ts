import { jsonText } from '../../core/json-text.ts';
import { type Command, EXIT } from '../command.ts';
import { DIFF_LAYOUTS, layoutOf } from '../shared/options.ts';

export const diffCommand: Command = {
  name: 'diff',
  usage: 'diff <before> <after>',
  summary: 'Compares two runs: what got worse, better, new or gone; exits 1 if something got worse',
  positionals: {
    before: { describe: 'the earlier run: a folder, a run id in reports/, or latest', values: 'file' },
    after: { describe: 'the later run' },
  },
  options: {
    format: { value: 'NAME', describe: `${DIFF_LAYOUTS.join(', ')}; default: text`, values: DIFF_LAYOUTS },
    json: { describe: 'same as --format json' },
  },
  examples: [['assay diff main latest --format markdown', 'for a pull request']],
  execute: async (args, host) => {
    const format = layoutOf(args, DIFF_LAYOUTS);
    const { readRun } = await import('../shared/run-files/results-file.ts');
    const before = await readRun(args['before']);
    const after = await readRun(args['after']);
    const { compareRuns, renderDiffMarkdown, renderDiffText } = await import('../../report/diff.ts');
    const comparison = compareRuns(before.results, after.results);
    if (format === 'json') host.out.write(`${jsonText(comparison)}\n`);
    else host.out.write(format === 'markdown' ? renderDiffMarkdown(comparison) : renderDiffText(comparison));
    return comparison.gotWorse ? EXIT.failed : EXIT.ok;
  },
};
