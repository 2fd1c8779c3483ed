import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { type Snippet, skeleton } from './snippets.ts';

/** The result of a page's commands. */
export interface Played {
  /** Deviations from the page, one sentence each. */
  readonly problems: readonly string[];
  readonly output: string;
}

/** The environment of a page. */
export interface Place {
  /** A separate, empty folder. */
  readonly folder: string;
  /** The compiled command. */
  readonly main: string;
}

/** The port in pages; each page gets a free one instead. */
const WRITTEN_PORT = '8080';

/** Runs all commands of a page in one shell, like a reader who follows it from top to bottom. */
export async function play(snippets: readonly Snippet[], { folder, main }: Place): Promise<Played> {
  const bin = path.join(folder, '.bin');
  mkdirSync(bin, { recursive: true });
  const executable = (name: string, text: string): void =>
    writeFileSync(path.join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  executable('assay', `exec "${process.execPath}" "${main}" "$@"`);
  executable('npx', '[ "$1" = assay ] || exit 97\nexec "$@"');
  // Pages wait for a mock to write its target file; on a busy machine that takes longer than they say.
  executable(
    'sleep',
    'for i in $(seq 150); do /bin/sleep 0.2; [ -n "$(find . -maxdepth 1 -name "*.yaml" -size 0)" ] || exit 0; done',
  );
  if (main !== '') {
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(path.resolve(main, '../../../..'), path.join(folder, 'node_modules/assay'));
  }
  const port = String(await freePort());
  const runnable = snippets.filter(({ why }) => why === null);
  for (const [index, { script }] of runnable.entries()) {
    writeFileSync(path.join(folder, `.block-${index}`), script.replaceAll(WRITTEN_PORT, port));
  }
  // All commands of a block except the last must succeed; the status of the last is reported.
  const lines = runnable.map(
    (_, index) =>
      `echo "@@begin ${index}"; trap 'failed="$BASH_COMMAND"' ERR; failed=; . ./.block-${index}; status=$?; printf '\\n@@end %s %s %s\\n' ${index} $status "$failed"`,
  );
  const script = `trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\n${lines.join('\n')}\n`;
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH: `${bin}:${path.dirname(process.execPath)}:${PATH}`, HOME, LANG: 'C.UTF-8' };
  const output = await outputOf(script, folder, env);
  return { output, problems: runnable.flatMap((snippet, index) => problemsOf(snippet, index, output)) };
}

function outputOf(script: string, cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--noprofile', '--norc', '-c', `exec 2>&1\n${script}`], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}

function problemsOf({ line, status, shows }: Snippet, index: number, output: string): readonly string[] {
  const begin = output.indexOf(`@@begin ${index}\n`);
  const end = output.match(new RegExp(`^@@end ${index} (\\d+) (.*)$`, 'mu'));
  if (end === null) return [`line ${line}: the commands were not reached`];
  const said = output.slice(begin, end.index);
  const problems: string[] = [];
  const [, got = '', failed = ''] = end;
  if (Number(got) !== status)
    problems.push(`line ${line}: ended with status ${got}, not ${status}:\n${said}`);
  else if (status === 0 && failed !== '') problems.push(`line ${line}: ${failed} failed:\n${said}`);
  let rest = skeleton(said);
  for (const shown of shows) {
    const text = skeleton(shown).trim();
    const at = rest.indexOf(text);
    if (at < 0) problems.push(`line ${line}: this did not come out, or not here: ${shown}\n${said}`);
    else rest = rest.slice(at + text.length);
  }
  return problems;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
