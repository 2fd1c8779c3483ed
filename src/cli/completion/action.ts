import path from 'node:path';
import { jsonText } from '../../core/json-text.ts';
import type { Arguments, Command } from '../command.ts';
import type { Host } from '../host.ts';
import { choose, flag } from '../shared/arguments.ts';
import { EXIT, type ExitStatus } from '../shared/exit-status.ts';
import { UsageError } from '../shared/usage-error.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { SHELLS } from './shells.ts';
import { vocabularyOf } from './vocabulary.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/**
 * Runs `assay completion`.
 *
 * @throws UsageError for an unknown shell
 */
export function performCompletion(
  args: Arguments,
  host: Host,
  commands: readonly Command[],
): Promise<ExitStatus> {
  const shell = shellOf(args['shell'], host);
  const script = SCRIPTS[shell](vocabularyOf(commands));
  host.out.write(flag(args, 'json') ? `${jsonText({ shell, script })}\n` : script);
  return Promise.resolve(EXIT.ok);
}

function shellOf(given: unknown, host: Host): (typeof SHELLS)[number] {
  if (given !== undefined) return choose('completion', String(given), SHELLS);
  const current = path.basename(host.env['SHELL'] ?? '');
  const shell = SHELLS.find((one) => one === current);
  if (shell !== undefined) return shell;
  throw new UsageError(`name a shell: ${SHELLS.join(', ')}`);
}
