import { packageVersion } from '../core/package-file.ts';
import { describeSystemError } from '../core/system-error.ts';
import { visible } from '../report/safe-text.ts';
import { EXIT, type ExitStatus } from './exit-status.ts';
import type { Host } from './host.ts';
import { parse } from './program.ts';
import { isForUser } from './usage-error.ts';

/** Carries out one command line. Never throws; what goes wrong becomes one sentence on standard error. */
export async function dispatch(given: readonly string[], host: Host): Promise<ExitStatus> {
  const words = asked(given);
  try {
    if (words.length === 2 && words.includes('--version') && words.includes('--json')) {
      const facts = { name: 'assay', version: packageVersion(), node: process.version };
      host.out.write(`${JSON.stringify(facts)}\n`);
      return EXIT.ok;
    }
    const parsed = await parse(words, packageVersion(), host.out.width());
    if (parsed.kind === 'command') return await parsed.command.execute(parsed.args, host, given);
    host.out.write(parsed.text);
    return EXIT.ok;
  } catch (error) {
    host.err.write(complaint(error, host));
    return EXIT.notCarriedOut;
  }
}

// Other spellings that users of other commands know.
function asked(words: readonly string[]): readonly string[] {
  if (words[0] === '-v' || words[0] === '-V') return ['--version', ...words.slice(1)];
  if (words[0] === 'help') return [...words.slice(1), '--help'];
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return words.map((word, place) => (word === '-h' && place < end ? '--help' : word));
}

function complaint(error: unknown, host: Host): string {
  const line = `assay: ${oneLine(wordsOf(error))}`;
  if (isForUser(error)) {
    // A target file may have several mistakes; each is told, so that they can be put right in one go.
    const problems = 'problems' in error && Array.isArray(error.problems) ? error.problems.map(String) : [];
    return problems.length < 2 ? `${line}\n` : problems.map((one) => `assay: ${oneLine(one)}\n`).join('');
  }
  const stack = host.env['ASSAY_DEBUG'] === '1' && error instanceof Error ? `${error.stack}\n` : '';
  const hint = stack === '' ? '; ASSAY_DEBUG=1 shows where' : '';
  return `${line} (this is a bug in Assay${hint})\n${stack}`;
}

// What the system says of a file is written for developers.
function wordsOf(error: unknown): string {
  const place = error instanceof Error && 'path' in error ? `${String(error.path)}: ` : '';
  return isForUser(error)
    ? `${place}${describeSystemError(error)}`
    : error instanceof Error
      ? error.message
      : String(error);
}

function oneLine(text: string): string {
  return visible(text.replace(/\s*\n\s*/gu, ' '));
}
