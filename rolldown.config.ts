import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type BuildOptions, build, type CodeSplittingGroup, defineConfig, type Plugin } from 'rolldown';
import { minifySync } from 'rolldown/utils';
import { compileInto } from './scripts/compiled-schemas.ts';

/** Modules that package.json, Playwright or another module names by a path. */
const ENTRIES = [
  'src/cli/main',
  'src/index',
  'src/playwright/config',
  'src/playwright/fixture',
  'src/playwright/setup',
  'src/prove/worker',
  'src/playwright/spec-tests',
];

/**
 * Packages that are bundled into the build: nearly every command needs them, and loading their many files takes longer
 * than running them. All others are loaded from node_modules. package.json names exactly the bundled version.
 */
export const BUNDLED = [
  'jose',
  'fastest-levenshtein',
  'preact',
  'preact-render-to-string',
  'string-width',
  'wrap-ansi',
  'yaml',
  'yargs',
];

/**
 * Modules that are loaded together become one file, because opening a file takes time: what every command needs
 * (start), what commands of all kinds share, what shows a run, what prepares one, and what judges. A part holds the
 * imports of its modules that are in no earlier part. The main module is in no part, because it checks the version
 * of Node.js before it loads anything.
 */
const PARTS = {
  start: ['cli/program', 'cli/command'],
  shared: [],
  report: ['evidence/reader', 'report/evidence/exchange-views', 'report/formats/html'],
  run: ['cli/run/action'],
  judging: ['evidence/writer', 'run/conform'],
} as const;

/** Commands that judge nothing. What they share with a run is in the part `shared`, so that they load no more of a run. */
const LIGHT = [
  ...['completion', 'explain', 'init', 'mock', 'requirements', 'verify'].map((name) => `cli/${name}/action`),
  'report/diff',
];

/** Where tsc writes declarations, and those that users import. */
const TYPES = { folder: '.cache/types', entries: ['src/index.d.ts', 'src/playwright/fixture.d.ts'] };

/** The file with string-width, below the folder of the build. */
const WIDTHS = 'lazy/string-width.cjs';

// Names of functions and classes stay, so that stack traces are readable.
const MINIFY = { compress: true, mangle: { toplevel: true, keepNames: true }, codegen: true };

/** The build of Assay into a folder: one file for each entry, and chunks that they share. */
export function buildInto(folder: string): BuildOptions {
  return {
    input: Object.fromEntries(ENTRIES.map((name) => [name, `${name}.ts`])),
    platform: 'node',
    logLevel: 'warn',
    // Some modules are imported both statically and dynamically.
    checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
    tsconfig: 'tsconfig.json',
    external: external(),
    plugins: [widths(), licences(), schemas(), specFiles(), types(), executable()],
    output: {
      dir: folder,
      cleanDir: true,
      format: 'es',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name].js',
      codeSplitting: { groups: parts() },
      minify: MINIFY,
    },
  };
}

export default defineConfig(buildInto('dist'));

/** The parts as groups of rolldown. */
function parts(): CodeSplittingGroup[] {
  let known: ReadonlyMap<string, string> | null = null;
  const names = Object.keys(PARTS);
  return names.map((part, index) => ({
    name: (module, graph) => {
      known ??= partsOf((id) => graph.getModuleInfo(id)?.importedIds ?? []);
      return known.get(module) === part ? part : null;
    },
    priority: names.length - index,
  }));
}

/** The part that each module is in, if any. */
function partsOf(importsOf: (module: string) => readonly string[]): ReadonlyMap<string, string> {
  const needed = (names: readonly string[]): ReadonlySet<string> => {
    const found = new Set<string>();
    const add = (module: string): void => {
      if (found.has(module)) return;
      found.add(module);
      importsOf(module).forEach(add);
    };
    for (const name of names) {
      const file = ['ts', 'tsx'].map((kind) => path.resolve(`src/${name}.${kind}`)).find(existsSync);
      if (file === undefined) throw new Error(`there is no src/${name}.ts for a part of the build`);
      add(realpathSync(file));
    }
    return found;
  };
  const light = needed(LIGHT);
  const found = new Map<string, string>();
  for (const module of needed(PARTS.start)) found.set(module, 'start');
  for (const part of ['report', 'run', 'judging'] as const)
    for (const module of needed(PARTS[part]))
      if (!found.has(module)) found.set(module, light.has(module) ? 'shared' : part);
  return found;
}

function external(): RegExp[] {
  const { dependencies, peerDependencies } = manifestOf('.');
  return Object.keys({ ...dependencies, ...peerDependencies })
    .filter((name) => !BUNDLED.includes(name))
    .map((name) => new RegExp(`^${name}(/|$)`, 'u'));
}

/**
 * Loads string-width only for text that is not printable ASCII: its tables of characters take 10 ms to load, and a text of
 * printable ASCII has as many columns as characters.
 */
function widths(): Plugin {
  const quick = `
    import { createRequire } from 'node:module';
    import { packageFile } from ${JSON.stringify(path.resolve('src/core/package-file.ts'))};
    let exact = null;
    export default function stringWidth(text, options) {
      if (/^[ -~]*$/u.test(text)) return text.length;
      exact ??= createRequire(import.meta.url)(packageFile('dist/${WIDTHS}'));
      return exact(text, options);
    }`;
  return {
    name: 'widths',
    resolveId: { filter: { id: /^string-width$/u }, handler: () => '\0string-width' },
    load: { filter: { id: /^\0string-width$/u }, handler: () => quick },
  };
}

/** Copies the spec files unchanged, because Playwright shows their lines. They contain no types. */
function specFiles(): Plugin {
  return {
    name: 'spec files',
    writeBundle: ({ dir = '' }) => {
      for (const name of readdirSync('specs').filter((file) => file.endsWith('.spec.ts'))) {
        const source = readFileSync(path.join('specs', name), 'utf8');
        const place = path.join(dir, 'specs', name.replace(/\.ts$/u, '.js'));
        mkdirSync(path.dirname(place), { recursive: true });
        writeFileSync(place, source.replaceAll(".ts';", ".js';"));
      }
    },
  };
}

/** Compiles the schemas into the build. */
function schemas(): Plugin {
  return {
    name: 'schemas',
    writeBundle: ({ dir = '' }) => {
      const folder = path.join(dir, 'src/core/schemas/compiled');
      compileInto(folder);
      for (const file of readdirSync(folder).map((name) => path.join(folder, name)))
        writeFileSync(
          file,
          minifySync(file, readFileSync(file, 'utf8'), { ...MINIFY, mangle: { toplevel: true } }).code,
        );
    },
  };
}

/** Copies the declarations that users import, and what these import. Tests build without declarations. */
function types(): Plugin {
  return {
    name: 'types',
    writeBundle: ({ dir = '' }) => {
      const copied = new Set<string>();
      const copy = (file: string): void => {
        if (copied.has(file)) return;
        copied.add(file);
        const text = readFileSync(path.join(TYPES.folder, file), 'utf8');
        mkdirSync(path.join(dir, path.dirname(file)), { recursive: true });
        writeFileSync(path.join(dir, file), text);
        for (const [, name = ''] of text.matchAll(/\b(?:from |import\()['"](\.[^'"]+)\.tsx?['"]/gu))
          copy(path.join(path.dirname(file), `${name}.d.ts`));
      };
      if (existsSync(TYPES.folder)) TYPES.entries.forEach(copy);
    },
  };
}

/** Makes the command executable, because in a clone npx runs the built file. */
function executable(): Plugin {
  return {
    name: 'executable',
    writeBundle: ({ dir = '' }) => chmodSync(path.join(dir, 'src/cli/main.js'), 0o755),
  };
}

/** Writes the licences of the bundled packages. */
function licences(): Plugin {
  return {
    name: 'licences',
    async generateBundle(_options, bundle) {
      const { output } = await build({
        input: 'string-width',
        platform: 'node',
        write: false,
        output: { format: 'cjs', exports: 'default', minify: MINIFY },
      });
      this.emitFile({ type: 'asset', fileName: WIDTHS, source: output[0].code });
      const modules = [...Object.values(bundle), ...output].flatMap((file) =>
        file.type === 'chunk' ? file.moduleIds : [],
      );
      const packages = new Set(modules.map(packageOf).filter((folder) => folder !== null));
      const notices = noticesOf([...packages].toSorted());
      this.emitFile({
        type: 'asset',
        fileName: 'third-party-licences.txt',
        source: `Assay's build contains parts of these packages.\n\n${notices.join('\n')}`,
      });
    },
  };
}

/** The folder of the package that a module belongs to; null for Assay's own. */
function packageOf(module: string): string | null {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(module.replaceAll('\\', '/'))?.[0] ?? null;
}

/** The licence texts of packages, each once, after the names of its packages. */
function noticesOf(folders: readonly string[]): readonly string[] {
  const titles = new Map<string, string>();
  for (const folder of folders) {
    const { name, version, license } = manifestOf(folder);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e\b/iu.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence file, which the build must contain`);
    const text = readFileSync(path.join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim();
    titles.set(text, `${titles.get(text) ?? ''}== ${name} ${version} (${license})\n`);
  }
  return [...titles].map(([text, title]) => `${title}\n${text}\n`);
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
