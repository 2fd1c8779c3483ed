import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { build } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { buildInto } from '../../rolldown.config.ts';
import { packageFile } from '../../src/core/package-file.ts';

declare module 'vitest' {
  interface ProvidedContext {
    readonly build: {
      /** Absolute path of the command's main file. */
      readonly main: string;
      /** Absolute paths of the sources of each built file. */
      readonly sources: { readonly [file: string]: readonly string[] };
    };
  }
}

let folder = '';

/**
 * Builds the command once for all system tests, in a separate folder, because `dist` may be older than the
 * sources.
 */
export async function setup(project: TestProject): Promise<void> {
  const cache = packageFile('.cache');
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(path.join(cache, 'assay-test-'));
  cpSync(packageFile('package.json'), path.join(folder, 'package.json'));
  symlinkSync(packageFile('schemas'), path.join(folder, 'schemas'));
  const dist = path.join(folder, 'dist');
  const { output } = await build(buildInto(dist));
  const chunks = output.filter((made) => made.type === 'chunk');
  project.provide('build', {
    main: path.join(dist, 'src/cli/main.js'),
    sources: Object.fromEntries(
      chunks.map(({ fileName, moduleIds }) => [path.join(dist, fileName), moduleIds]),
    ),
  });
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
