import { jsonText } from '../../core/json-text.ts';
import { shellQuoted } from '../../core/text.ts';
import { type Command, EXIT, UsageError } from '../command.ts';
import { envOption, flag, text } from '../shared/options.ts';

export const tokenCommand: Command = {
  name: 'token',
  usage: 'token [target]',
  summary: 'Obtains a token and prints it as export TOKEN=…, which the curl lines of reports read',
  positionals: {
    target: {
      describe: 'target file (YAML or JSON); default: the target in the ASSAY_ variables',
      values: 'file',
    },
  },
  options: {
    env: envOption,
    json: { describe: 'print the token and its validity in seconds as JSON' },
  },
  examples: [
    [
      'eval "$(assay token acme.yaml)"',
      'sets TOKEN in this shell; no other command prints a token, so keep the line out of logs',
    ],
  ],
  execute: async (args, host) => {
    const { obtainToken } = await import('../../doctor/provider-check.ts');
    const { hasEnvironmentTarget } = await import('../../target/environment.ts');
    const { withTargets } = await import('../shared/run-targets.ts');
    const files = args['target'] === undefined ? [] : [String(args['target'])];
    const envFile = text(args, 'env');
    if (files.length === 0 && envFile === null && !hasEnvironmentTarget(host.env))
      throw new UsageError('name a target file: assay token acme.yaml');
    return withTargets({ files, envFile }, host, async ([target], signal) => {
      if (target === undefined) throw new UsageError('there is no target');
      const result = await obtainToken(target, host.env, signal);
      if (signal.aborted) return EXIT.interrupted;
      if ('problem' in result) {
        host.warn(result.problem);
        return EXIT.notCarriedOut;
      }
      const { token, expiresIn } = result;
      // Other characters are invalid in a header and could control the terminal.
      if (!/^[\u0021-\u007e]+$/u.test(token))
        throw new UsageError('the token has characters that no header can carry, so it is not printed');
      const isJson = flag(args, 'json');
      host.out.write(isJson ? `${jsonText({ token, expiresIn })}\n` : `export TOKEN=${shellQuoted(token)}\n`);
      const { plural } = await import('../../report/wording/phrases.ts');
      if (!isJson && expiresIn !== null) host.warn(`the token is valid for ${plural(expiresIn, 'second')}`);
      return EXIT.ok;
    });
  },
};
