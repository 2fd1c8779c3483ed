import { packageVersion } from '../core/package-file.ts';
import { describeSystemError, messageOf } from '../core/system-error.ts';
import { isForUser } from '../core/user-error.ts';
import { visible } from '../report/wording/safe-text.ts';
import type { Host } from './host.ts';
import { parse } from './program.ts';
import { EXIT, type ExitStatus } from './shared/process/exit-status.ts';

/** Runs one command line. Never throws: an error becomes one sentence on standard error. */
export async function dispatch(words: readonly string[], host: Host): Promise<ExitStatus> {
  try {
    if (/^(--version|-v|-V) --json$|^--json (--version|-v|-V)$/u.test(words.join(' '))) {
      const facts = { name: 'assay', version: packageVersion(), node: process.version };
      host.out.write(`${JSON.stringify(facts)}\n`);
      return EXIT.ok;
    }
    const parsed = await parse(words, packageVersion(), host.out.width());
    if (parsed.kind === 'command') return await parsed.command.execute(parsed.args, host, words);
    host.out.write(parsed.text);
    return EXIT.ok;
  } catch (error) {
    host.err.write(messageFor(error, host));
    return EXIT.notCarriedOut;
  }
}

function messageFor(error: unknown, host: Host): string {
  const line = `assay: ${oneLine(describeError(error))}`;
  if (isForUser(error)) {
    // A target file may have several mistakes; report all at once.
    const problems = 'problems' in error && Array.isArray(error.problems) ? error.problems.map(String) : [];
    return problems.length < 2 ? `${line}\n` : problems.map((one) => `assay: ${oneLine(one)}\n`).join('');
  }
  const stack = host.env['ASSAY_DEBUG'] === '1' && error instanceof Error ? `${error.stack}\n` : '';
  const hint = stack === '' ? '; ASSAY_DEBUG=1 shows where' : '';
  return `${line} (this is a bug in Assay${hint})\n${stack}`;
}

// Messages of system errors are written for developers.
function describeError(error: unknown): string {
  const prefix = error instanceof Error && 'path' in error ? `cannot use ${String(error.path)}: ` : '';
  return isForUser(error) ? `${prefix}${describeSystemError(error)}` : messageOf(error);
}

function oneLine(text: string): string {
  return visible(text.replace(/\s*\n\s*/gu, ' '));
}
