import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { jsonText } from '../core/json-text.ts';
import { enumeration } from '../report/phrases.ts';
import { flag } from './arguments.ts';
import type { Arguments } from './command.ts';
import { commandLine } from './command-line.ts';
import { EXIT, type ExitStatus } from './exit-status.ts';
import type { Host } from './host.ts';
import { type Answers, answersOf } from './init/answers.ts';
import { envExample, itemSchema, schemaAddress, targetText, VARIABLES } from './init/texts.ts';
import { UsageError } from './usage-error.ts';

/** What was done with one file. */
interface Written {
  readonly file: string;
  readonly state: 'written' | 'kept';
}

/**
 * Carries out `assay init`. No secret is asked for, and none is written.
 *
 * @throws UsageError where an answer is missing or wrong, and where a target file is there already
 */
export async function performInit(args: Arguments, host: Host): Promise<ExitStatus> {
  const file = args['file'] === undefined ? 'assay.yaml' : String(args['file']);
  const force = flag(args, 'force');
  if (!/\.ya?ml$/u.test(file))
    throw new UsageError(`a target file with comments is YAML: name it ${path.parse(file).name}.yaml`);
  if (existsSync(file) && !force) throw new UsageError(`${file} is there already; --force overwrites it`);
  const answers = await answersOf(args, host);
  const written = write(file, answers, force);
  const unnamed = unnamedIn(path.join(path.dirname(file), '.env.example'));
  const next = `assay doctor ${commandLine([file])}`;
  if (flag(args, 'json')) {
    host.out.write(`${jsonText({ files: written, variables: VARIABLES, next })}\n`);
    return EXIT.ok;
  }
  for (const { file: name, state } of written)
    host.out.write(state === 'written' ? `Wrote ${name}\n` : `Left ${name} as it is\n`);
  if (unnamed.length > 0) host.out.write(`It does not name ${enumeration(unnamed)}; add what is missing\n`);
  host.out.write(
    [
      '',
      'Next:',
      '  cp .env.example .env         then fill in what was issued to you; keep .env out of version control',
      '  set -a; . ./.env; set +a     puts it into the environment',
      `  ${next}`,
      '',
    ].join('\n'),
  );
  return EXIT.ok;
}

// The target file comes last, so that a folder which cannot be written to is not left with a target and no schema.
function write(file: string, answers: Answers, force: boolean): readonly Written[] {
  const folder = path.dirname(file);
  const beside = (name: string): string => path.join(folder, name);
  mkdirSync(folder, { recursive: true });
  const schemas = answers.lists
    .filter(({ schema }) => schema !== 'printer')
    .map(({ name, schema }) => put(beside(schema), itemSchema(name), force));
  const env = put(beside('.env.example'), envExample(), force);
  const target = put(file, targetText(answers, path.basename(file), schemaAddress(folder)), force);
  return [target, env, ...schemas];
}

function put(file: string, content: string, force: boolean): Written {
  if (existsSync(file) && !force) return { file, state: 'kept' };
  writeFileSync(file, content);
  return { file, state: 'written' };
}

function unnamedIn(file: string): readonly string[] {
  const content = readFileSync(file, 'utf8');
  return VARIABLES.filter((name) => !content.includes(name));
}
