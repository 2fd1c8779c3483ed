import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/** The layers that each layer may import from; imports within a layer are always allowed. */
const allowed: { readonly [layer: string]: readonly string[] } = {
  core: [],
  target: ['core'],
  evidence: ['core'],
  http: ['core', 'target', 'evidence'],
  provider: ['core', 'target', 'evidence', 'http'],
  judge: ['core', 'target', 'evidence', 'provider'],
  specs: ['core', 'provider', 'judge'],
  run: ['core', 'target', 'evidence', 'http', 'provider', 'judge', 'specs'],
  report: ['core'],
  mock: ['core'],
  playwright: ['core', 'target', 'evidence', 'provider', 'judge', 'specs', 'run', 'report', 'mock'],
  prove: ['core', 'target', 'judge', 'specs', 'run', 'mock'],
  doctor: ['core', 'target', 'evidence', 'http', 'provider', 'specs', 'run', 'mock'],
  cli: ['core', 'target', 'specs', 'evidence', 'run', 'report', 'mock', 'prove', 'doctor'],
  // The top layer: the library entry point and the files that pass the suite to Playwright.
  library: ['core', 'target', 'judge', 'run'],
  index: ['core', 'target', 'judge', 'mock', 'library'],
  'spec files': ['playwright'],
};

const root = path.join(import.meta.dirname, '..');

function filesBelow(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

function layerOf(file: string): string {
  if (file.endsWith('.spec.ts')) return 'spec files';
  const [first, second] = file.split(path.sep);
  if (first === 'specs') return 'specs';
  return second?.endsWith('.ts') === true ? second.slice(0, -3) : (second ?? '');
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].map(([, target]) =>
    path.relative(root, path.resolve(root, path.dirname(file), target ?? '')),
  );
}

const files = [...filesBelow('src'), ...filesBelow('specs')];

describe('the layer rule', () => {
  it('lists every layer', () => {
    expect([...new Set(files.map(layerOf))].filter((layer) => allowed[layer] === undefined)).toEqual([]);
  });

  it.each(Object.keys(allowed))('holds for %s', (layer) => {
    const violations = files
      .filter((file) => layerOf(file) === layer)
      .flatMap((file) => importsOf(file).map((imported) => ({ file, imported, from: layerOf(imported) })))
      .filter(({ from }) => from !== layer && allowed[layer]?.includes(from) !== true)
      .map(({ file, imported }) => `${file} imports ${imported}`);
    expect(violations).toEqual([]);
  });

  it('finds imports', () => {
    expect(importsOf(path.join('specs', 'suite.ts'))).toContain(path.join('specs', 'token', 'issued.ts'));
  });
});

/** Folders of the judge in their order: none imports a later one. */
const judgeFolders = ['probes', 'proofs', 'rules'].map((name) => path.join('src', 'judge', name));

it.each(judgeFolders)('%s imports no later folder of the judge', (folder) => {
  const later = judgeFolders.slice(judgeFolders.indexOf(folder) + 1);
  const violations = filesBelow(folder).flatMap((file) =>
    importsOf(file)
      .filter((imported) => later.includes(path.dirname(imported)))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(violations).toEqual([]);
});

/** Lines of the longest file. */
const MOST_LINES = 350;

it('keeps every file short enough to be read at once', () => {
  const long = files.filter(
    (file) => readFileSync(path.join(root, file), 'utf8').split('\n').length - 1 > MOST_LINES,
  );
  expect(long).toEqual([]);
});

/** Groups of files that import each other, directly or not, type imports included (Tarjan's algorithm). */
function circles(): readonly (readonly string[])[] {
  const known = new Set(files);
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    lowest.set(file, own);
    stack.push(file);
    const imported = importsOf(file).filter((one) => known.has(one));
    for (const one of imported) {
      const reached = !index.has(one) ? visit(one) : stack.includes(one) ? (index.get(one) ?? own) : own;
      lowest.set(file, Math.min(lowest.get(file) ?? own, reached));
    }
    if (lowest.get(file) === own) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1 || imported.includes(file)) found.push(group.toSorted());
    }
    return lowest.get(file) ?? own;
  };
  for (const file of files) if (!index.has(file)) visit(file);
  return found;
}

describe('circles of imports', () => {
  it('do not exist between files, including type imports', () => {
    expect(circles()).toEqual([]);
  });
});
