import { randomInt } from 'node:crypto';
import { jsonText } from '../../core/json-text.ts';
import type { Examination } from '../../doctor/doctor.ts';
import type { Arguments } from '../command.ts';
import { type Host, warnerOf } from '../host.ts';
import { flag, manyOf, positionals, text, wholeNumber } from '../shared/options/arguments.ts';
import { SUITES } from '../shared/options/option-declarations.ts';
import { EXIT, type ExitStatus } from '../shared/process/exit-status.ts';
import { STOPPING, watchInterruption } from '../shared/process/interruption.ts';
import { openTargets } from '../shared/run-targets.ts';
import { diagnosisText } from './diagnosis-text.ts';

/**
 * Runs `assay doctor`: 0 if a run can be carried out, 3 otherwise.
 *
 * @throws errors for users if a target file is wrong
 */
export async function performDoctor(args: Arguments, host: Host): Promise<ExitStatus> {
  const files = positionals(args, 'target');
  const suites = manyOf(args, 'suite', SUITES);
  const seed = wholeNumber(args, 'seed', { least: 0, most: 0xffff_ffff }) ?? randomInt(2 ** 31);
  const json = flag(args, 'json');
  const opened = await openTargets({ files, envFile: text(args, 'env') }, host.env);
  const warn = warnerOf(host);
  const interruption = watchInterruption(() => warn(STOPPING));
  try {
    opened.warnings.forEach(warn);
    const { examine } = await import('../../doctor/doctor.ts');
    const examinations: Examination[] = [];
    for (const [index, target] of opened.targets.entries()) {
      const examination = await examine(target, {
        seed,
        suites: SUITES.filter((suite) => suites.length === 0 || suites.includes(suite)),
        env: host.env,
        signal: interruption.signal,
      });
      examinations.push(examination);
      if (interruption.signal.aborted) return EXIT.interrupted;
      if (!json) host.out.write(diagnosisText(examination, files[index] ?? null, host.out));
    }
    if (json) host.out.write(`${jsonText({ format: 'assay-doctor/1', targets: examinations })}\n`);
    return examinations.every(({ ready }) => ready) ? EXIT.ok : EXIT.notCarriedOut;
  } finally {
    interruption.dispose();
    await opened.close();
  }
}
