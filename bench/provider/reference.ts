import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { command } from '../paths.ts';

/** The reference provider in a separate process. */
export interface Reference {
  /** Its target file. */
  readonly file: string;
  readonly stop: () => void;
}

/** Starts `assay mock` with defects and waits until it has printed its target file. */
export async function startReference(
  folder: string,
  name: string,
  defects: readonly string[],
): Promise<Reference> {
  const words = defects.flatMap((defect) => ['--defect', defect]);
  const child = spawn(process.execPath, [command, 'mock', '--records', '1234', ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const file = path.join(folder, `${name}.yaml`);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  await new Promise<void>((resolve, reject) => {
    // It reports on standard error after writing the target file to standard output.
    child.stderr.once('data', () => resolve());
    child.on('exit', () => reject(new Error('the reference provider did not start')));
  });
  writeFileSync(file, text.replace('name: mock', `name: ${name}`));
  return { file, stop: () => void child.kill() };
}
