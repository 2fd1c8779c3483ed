import { jsonText } from '../../core/json-text.ts';
import { shellQuoted } from '../../core/text.ts';
import { obtainToken } from '../../doctor/provider-check.ts';
import { plural } from '../../report/wording/phrases.ts';
import { hasEnvironmentTarget } from '../../target/environment.ts';
import type { Arguments } from '../command.ts';
import { type Host, warnerOf } from '../host.ts';
import { flag, text } from '../shared/options/arguments.ts';
import { EXIT, type ExitStatus, UsageError } from '../shared/process/exit-status.ts';
import { STOPPING, watchInterruption } from '../shared/process/interruption.ts';
import { openTargets } from '../shared/run-targets.ts';

/**
 * Runs `assay token`. Only this command prints a token, and only to standard output.
 *
 * @throws errors for users if the target is wrong or returns no token
 */
export async function performToken(args: Arguments, host: Host): Promise<ExitStatus> {
  const files = args['target'] === undefined ? [] : [String(args['target'])];
  const envFile = text(args, 'env');
  if (files.length === 0 && envFile === null && !hasEnvironmentTarget(host.env))
    throw new UsageError('name a target file: assay token acme.yaml');
  const opened = await openTargets({ files, envFile }, host.env);
  const warn = warnerOf(host);
  const interruption = watchInterruption(() => warn(STOPPING));
  try {
    opened.warnings.forEach(warn);
    const [target] = opened.targets;
    if (target === undefined) throw new UsageError('there is no target');
    const result = await obtainToken(target, host.env, interruption.signal);
    if (interruption.signal.aborted) return EXIT.interrupted;
    if ('problem' in result) {
      warn(result.problem);
      return EXIT.notCarriedOut;
    }
    // Other characters are invalid in a header and could control the terminal.
    if (!/^[\u0021-\u007e]+$/u.test(result.token))
      throw new UsageError('the token has characters that no header can carry, so it is not printed');
    if (flag(args, 'json')) {
      host.out.write(`${jsonText({ token: result.token, expiresIn: result.expiresIn })}\n`);
      return EXIT.ok;
    }
    host.out.write(`export TOKEN=${shellQuoted(result.token)}\n`);
    if (result.expiresIn !== null) warn(`the token is valid for ${plural(result.expiresIn, 'second')}`);
    return EXIT.ok;
  } finally {
    interruption.dispose();
    await opened.close();
  }
}
