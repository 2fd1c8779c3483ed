import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type BuildOptions, defineConfig, type Plugin } from 'rolldown';
import { compileInto } from './src/schema/build.ts';

/** Modules that are named by a path: by package.json, by Playwright, or by a module that starts another. */
const ENTRIES = [
  'src/cli/main',
  'src/index',
  'src/playwright/config',
  'src/playwright/fixture',
  'src/playwright/setup',
  'src/prove/worker',
  'src/report/collector',
  'specs/conformance.spec',
];

/**
 * Packages that become part of the build, since nearly every command needs them and reading their many files would
 * take longer than carrying them out. All others are found where npm installs them.
 * package.json names these in exactly one version, so that what it says of them is true.
 */
export const BUNDLED = [
  'fastest-levenshtein',
  'preact',
  'preact-render-to-string',
  'string-width',
  'wrap-ansi',
  'yaml',
  'yargs',
];

/** How Assay is built into a folder: one file for each module that is named by a path, and what they share in chunks. */
export function buildInto(folder: string): BuildOptions {
  return {
    input: Object.fromEntries(ENTRIES.map((name) => [name, `${name}.ts`])),
    platform: 'node',
    logLevel: 'warn',
    tsconfig: 'tsconfig.json',
    external: external(),
    plugins: [licences(), schemas()],
    output: {
      dir: folder,
      cleanDir: true,
      format: 'es',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name].js',
      // Names stay, so that an error of Assay itself tells where it comes from.
      minify: { compress: true, mangle: { toplevel: false, keepNames: true }, codegen: true },
    },
  };
}

export default defineConfig(buildInto('dist'));

function external(): RegExp[] {
  const { dependencies, peerDependencies } = manifestOf('.');
  return Object.keys({ ...dependencies, ...peerDependencies })
    .filter((name) => !BUNDLED.includes(name))
    .map((name) => new RegExp(`^${name}(/|$)`, 'u'));
}

/** Compiles the schemas ahead, beside what was bundled. */
function schemas(): Plugin {
  return {
    name: 'schemas',
    writeBundle: ({ dir = '' }) => compileInto(path.join(dir, 'src/schema/compiled')),
  };
}

/** Writes down the licences of the packages that became part of the build. */
function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const packages = new Set(modules.map(packageOf).filter((folder) => folder !== null));
      const notices = [...packages].map(noticeOf).toSorted((one, other) => (one < other ? -1 : 1));
      this.emitFile({
        type: 'asset',
        fileName: 'third-party-licences.txt',
        source: `Assay's build holds parts of these packages.\n\n${notices.join('\n')}`,
      });
    },
  };
}

/** The folder of the package that a module belongs to; null for Assay's own. */
function packageOf(module: string): string | null {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(module.replaceAll('\\', '/'))?.[0] ?? null;
}

function noticeOf(folder: string): string {
  const { name, version, license } = manifestOf(folder);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e\b/iu.test(entry));
  if (file === undefined)
    throw new Error(`${name} has no licence beside it, which would have to travel with the build`);
  const text = readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
  return `== ${name} ${version} (${license})\n\n${text}\n`;
}

interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function manifestOf(folder: string): PackageManifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as PackageManifest;
}
