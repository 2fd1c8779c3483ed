import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect } from 'vitest';
import { TargetError } from '../../src/target/document.ts';
import type { LoadedTargets, LoadOptions } from '../../src/target/load.ts';
import { loadTargets } from '../../src/target/load.ts';
import type { Target } from '../../src/target/target.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The folder of the current test. */
export let folder = '';

/** Gives every test of a file an empty folder. */
export function useFolder(): void {
  beforeEach(() => {
    folder = temporaryFolder('target');
  });
}

export function file(text: string, name = 'acme.yaml'): string {
  const full = path.join(folder, name);
  writeFileSync(full, text, { mode: 0o600 });
  return full;
}

export const ENV = { SECRET: 'from-the-environment' };

export function load(text: string, options: Partial<LoadOptions> = {}): Promise<LoadedTargets> {
  return loadTargets({ files: [file(text)], env: ENV, ...options });
}

export async function one(text: string, options: Partial<LoadOptions> = {}): Promise<Target> {
  const { targets } = await load(text, options);
  return targets[0] as Target;
}

/** The message for an invalid file, without the folder. */
export async function wrong(text: string, options: Partial<LoadOptions> = {}): Promise<string> {
  const error = await load(text, options).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TargetError);
  return (error as TargetError).message.replaceAll(`${folder}/`, '');
}
