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
import { compileInto } from './src/core/schemas/build.ts';

/** Modules that are named by a path: by package.json, by Playwright, or by a module that starts another. */
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
 * Packages that become part of the build, since nearly every command needs them and reading their many files would
 * take longer than carrying them out. All others are found where npm installs them.
 * package.json names these in exactly one version, so that what it says of them is true.
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
 * Modules that are loaded together become one file, because opening a file takes time: those that every command needs
 * (start), those that commands of all kinds share, those that show a run, those that prepare one, and those that judge.
 * A part holds what the modules of its list import, except what an earlier part holds. The main module is in none,
 * because it waits for the command.
 */
const PARTS = {
  start: ['cli/dispatch', 'cli/host'],
  shared: [],
  report: ['evidence/reader', 'report/evidence/exchange-views', 'report/formats/html'],
  run: ['cli/run/action'],
  judging: ['evidence/writer', 'run/conform'],
} as const;

/** Commands that judge nothing: what they have in common with a run is shared, so that they load nothing else of it. */
const LIGHT = [
  'completion',
  'diff',
  'explain',
  'history',
  'init',
  'mock',
  'keygen',
  'requirements',
  'verify',
].map((name) => `cli/${name}/action`);

/** What measures texts that are not plain, below the folder of the build. */
const WIDTHS = 'lazy/string-width.cjs';

// Names of functions and classes stay, so that an error of Assay itself tells where it comes from.
const MINIFY = { compress: true, mangle: { toplevel: false, keepNames: true }, codegen: true };

/** How Assay is built into a folder: one file for each module that is named by a path, and what they share in chunks. */
export function buildInto(folder: string): BuildOptions {
  return {
    input: Object.fromEntries(ENTRIES.map((name) => [name, `${name}.ts`])),
    platform: 'node',
    logLevel: 'warn',
    // A module that some import at once and others late is nothing to be warned of.
    checks: { bundlerTimings: false, ineffectiveDynamicImport: false },
    tsconfig: 'tsconfig.json',
    external: external(),
    plugins: [widths(), licences(), schemas(), specFiles(), executable()],
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

/** The parts as rolldown wants them. */
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
 * Puts string-width aside, for whoever imports it: its tables of characters take longer to load than a short run takes
 * to tell, and a text of printable ASCII takes as many columns as it has characters.
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

/** Puts the spec files beside what was bundled as they are, because Playwright shows their lines; they hold no types. */
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

/** Compiles the schemas ahead, beside what was bundled. */
function schemas(): Plugin {
  return {
    name: 'schemas',
    writeBundle: ({ dir = '' }) => {
      const folder = path.join(dir, 'src/core/schemas/compiled');
      compileInto(folder);
      for (const file of readdirSync(folder).map((name) => path.join(folder, name)))
        writeFileSync(file, minifySync(file, readFileSync(file, 'utf8'), MINIFY).code);
    },
  };
}

/** Makes the command executable: in a clone, npx runs the file that was built last. */
function executable(): Plugin {
  return {
    name: 'executable',
    writeBundle: ({ dir = '' }) => chmodSync(path.join(dir, 'src/cli/main.js'), 0o755),
  };
}

/** Writes down the licences of the packages that became part of the build. */
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
