import path from 'node:path';
import { jsonText } from '../core/json-text.ts';
import { choose, flag } from './arguments.ts';
import type { Arguments } from './command.ts';
import { SHELLS } from './commands/completion.ts';
import { bashScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { vocabulary } from './completion/vocabulary.ts';
import { zshScript } from './completion/zsh.ts';
import { EXIT, type ExitStatus } from './exit-status.ts';
import type { Host } from './host.ts';
import { UsageError } from './usage-error.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/**
 * Carries out `assay completion`.
 *
 * @throws UsageError for a shell that nobody knows
 */
export function performCompletion(args: Arguments, host: Host): Promise<ExitStatus> {
  const shell = shellOf(args['shell'], host);
  const script = SCRIPTS[shell](vocabulary());
  host.out.write(flag(args, 'json') ? `${jsonText({ shell, script })}\n` : script);
  return Promise.resolve(EXIT.ok);
}

function shellOf(given: unknown, host: Host): (typeof SHELLS)[number] {
  if (given !== undefined) return choose('completion', String(given), SHELLS);
  const usual = path.basename(host.env['SHELL'] ?? '');
  const shell = SHELLS.find((one) => one === usual);
  if (shell !== undefined) return shell;
  throw new UsageError(`name a shell: ${SHELLS.join(', ')}`);
}
