import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeFolder } from '../../core/files.ts';
import { jsonText } from '../../core/json-text.ts';
import { describeSystemError } from '../../core/system-error.ts';
import { enumeration } from '../../report/wording/phrases.ts';
import { type Arguments, EXIT, type ExitStatus, type Host, UsageError } from '../command.ts';
import { commandLine, flag } from '../shared/options.ts';
import { type Answers, answersOf } from './answers.ts';
import { envExample, itemSchema, schemaLocation, targetText, VARIABLES } from './file-texts.ts';

interface Written {
  readonly file: string;
  readonly state: 'written' | 'kept';
}

/**
 * Runs `assay init`. It neither asks for secrets nor writes them.
 *
 * @throws UsageError if an answer is missing or wrong, or if the target file exists
 */
export async function performInit(args: Arguments, host: Host): Promise<ExitStatus> {
  const file = args['file'] === undefined ? 'assay.yaml' : String(args['file']);
  const force = flag(args, 'force');
  if (!/\.ya?ml$/u.test(file))
    throw new UsageError(`assay init writes YAML: name the file ${path.parse(file).name}.yaml`);
  if (existsSync(file) && !force) throw new UsageError(`${file} exists already; --force overwrites it`);
  const answers = await answersOf(args, host);
  const written = write(file, answers, force);
  const missing = missingVariables(path.join(path.dirname(file), '.env.example'));
  const next = `assay doctor ${commandLine([file])}`;
  if (flag(args, 'json')) {
    host.out.write(`${jsonText({ files: written, variables: VARIABLES, next })}\n`);
    return EXIT.ok;
  }
  for (const { file: name, state } of written)
    host.out.write(state === 'written' ? `Wrote ${name}\n` : `Kept ${name} unchanged\n`);
  if (missing.length > 0) host.out.write(`Add the missing variables to it: ${enumeration(missing)}\n`);
  const copy = ['.env.example', '.env'].map((name) => path.join(path.dirname(file), name));
  host.out.write(
    [
      '',
      'Next:',
      `  ${commandLine(['cp', ...copy])}   # fill in your credentials; keep .env out of version control`,
      `  ${next}`,
      '',
    ].join('\n'),
  );
  return EXIT.ok;
}

// The target file is written last, so that a failure leaves no target file without its schema.
function write(file: string, answers: Answers, force: boolean): readonly Written[] {
  const folder = path.dirname(file);
  const inFolder = (name: string): string => path.join(folder, name);
  try {
    makeFolder(folder);
  } catch (error) {
    throw new UsageError(`the folder ${folder} cannot be made: ${describeSystemError(error)}`);
  }
  const schemas = answers.lists
    .filter(({ schema }) => schema !== 'printer')
    .map(({ name, schema }) => put(inFolder(schema), itemSchema(name), force));
  const env = put(inFolder('.env.example'), envExample(), force);
  const target = put(file, targetText(answers, path.basename(file), schemaLocation(folder)), force);
  return [target, env, ...schemas];
}

function put(file: string, content: string, force: boolean): Written {
  if (existsSync(file) && !force) return { file, state: 'kept' };
  writeFileSync(file, content);
  return { file, state: 'written' };
}

function missingVariables(file: string): readonly string[] {
  const content = readFileSync(file, 'utf8');
  return VARIABLES.filter((name) => !content.includes(name));
}
