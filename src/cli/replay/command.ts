import path from 'node:path';
import { FILE_NAMES } from '../../core/file-names.ts';
import { type Command, EXIT } from '../command.ts';
import { finishedRun, printFacts, text } from '../shared/options.ts';

export const replayCommand: Command = {
  name: 'replay',
  usage: 'replay <run>',
  summary: 'Recomputes the verdicts of a run from its evidence, offline, and reports every difference',
  positionals: { run: finishedRun },
  options: {
    target: { value: 'NAME', describe: 'only this target of the run' },
    json: { describe: 'print the differences as JSON' },
  },
  examples: [['assay replay latest', 'check the verdicts of the newest run without its provider']],
  execute: async (args, host) => {
    const { readRun, targetNamed } = await import('../shared/run-files/results-file.ts');
    const { folder, results } = await readRun(args['run']);
    const given = text(args, 'target');
    const only = given === null ? null : targetNamed(results, given).name;
    const { replay } = await import('../../run/replay/replay.ts');
    const { replayText } = await import('../shared/replay-text.ts');
    const replayed = await replay(results, path.join(folder, FILE_NAMES.evidence), { only });
    printFacts(replayed, replayText(results, replayed), args, host);
    return replayed.differences.length === 0 && replayed.missing.length === 0 ? EXIT.ok : EXIT.failed;
  },
};
