import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { packageFile } from '../../src/core/package-file.ts';

export interface Step {
  readonly id?: string;
  readonly uses?: string;
  readonly shell?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

/** The content of action.yml. */
export const action = parse(readFileSync(packageFile('action.yml'), 'utf8')) as Action;

/** Runs a step of action.yml as a runner does: in bash, with no variables but the given ones. */
export function performStep(
  id: string,
  { cwd, env, bin = '' }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly bin?: string },
): Promise<{ readonly status: number; readonly out: string; readonly err: string }> {
  const script = action.runs.steps.find((step) => step.id === id)?.run ?? 'exit 97';
  const { HOME = '', PATH = '' } = process.env;
  const places = [bin, path.dirname(process.execPath), PATH].filter((place) => place !== '');
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
      { cwd, env: { HOME, ...env, PATH: places.join(':') }, maxBuffer: 16_777_216 },
      (_error, out, err) => resolve({ status: child.exitCode ?? -1, out, err }),
    );
  });
}
