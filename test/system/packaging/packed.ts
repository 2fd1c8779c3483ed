import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageFile } from '../../../src/core/package-file.ts';

const run = promisify(execFile);

/** The package as npm would publish it. */
export interface Packed {
  /** Absolute path of the tarball. */
  readonly file: string;
  /** Bytes once unpacked, without dependencies. */
  readonly unpackedSize: number;
  /** Paths in the package. */
  readonly files: readonly string[];
}

interface PackAnswer {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/** npm as in the user's shell, without variables of the surrounding npm. */
export async function npm(words: readonly string[], cwd: string): Promise<string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/u.test(name));
  const { stdout } = await run('npm', [...words], {
    cwd,
    env: { ...Object.fromEntries(kept), npm_config_update_notifier: 'false' },
    timeout: 240_000,
    maxBuffer: 16_777_216,
  });
  return stdout;
}

/** Builds and packs the checkout in a separate folder, so that no other build is changed. */
export async function packInto(folder: string): Promise<Packed> {
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'README.md', 'LICENSE', 'schemas']) {
    cpSync(packageFile(name), path.join(folder, name), { recursive: true });
  }
  // A file that must not be packed.
  writeFileSync(path.join(folder, '.env'), 'ASSAY_CLIENT_SECRET=secret\n');
  symlinkSync(packageFile('node_modules'), path.join(folder, 'node_modules'));
  for (const name of ['src', 'specs', 'scripts']) symlinkSync(packageFile(name), path.join(folder, name));
  for (const name of ['rolldown.config.ts', 'tsconfig.json', 'tsconfig.build.json', 'tsconfig.types.json']) {
    cpSync(packageFile(name), path.join(folder, name));
  }
  await npm(['run', 'build'], folder);
  const answers = JSON.parse(await npm(['pack', '--json', '--ignore-scripts'], folder)) as PackAnswer[];
  const [answer] = answers;
  if (answer === undefined) throw new Error('npm packed nothing');
  return {
    file: path.join(folder, answer.filename),
    unpackedSize: answer.unpackedSize,
    files: answer.files.map((file) => file.path),
  };
}

/** The manifest of the checkout. */
export function manifest(): {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
} {
  return JSON.parse(readFileSync(packageFile('package.json'), 'utf8'));
}
