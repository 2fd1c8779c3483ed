import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/** Which rooms each room may import from; its own is always allowed. Arrows run one way. */
const allowed: { readonly [room: string]: readonly string[] } = {
  core: [],
  target: ['core'],
  evidence: ['core'],
  http: ['core', 'target', 'evidence'],
  provider: ['core', 'target', 'evidence', 'http'],
  judge: ['core', 'target', 'evidence', 'provider'],
  specs: ['core', 'provider', 'judge'],
  run: ['core', 'target', 'evidence', 'http', 'provider', 'judge', 'specs'],
  report: ['core', 'specs'],
  // Playwright loads the collector by itself, so nobody above can hand it the evidence.
  'report/collector': ['core', 'evidence', 'specs', 'report'],
  mock: ['core'],
  playwright: ['core', 'target', 'evidence', 'provider', 'judge', 'specs', 'run', 'mock'],
  prove: ['core', 'target', 'judge', 'specs', 'run', 'mock'],
  doctor: ['core', 'target', 'evidence', 'http', 'provider', 'specs', 'run', 'mock'],
  cli: ['core', 'target', 'specs', 'evidence', 'run', 'report', 'mock', 'prove', 'doctor'],
  // What stands at the top: the library's door and the file that hands the suite to Playwright.
  library: ['core', 'target', 'judge', 'run'],
  index: ['core', 'target', 'judge', 'mock', 'library'],
  'conformance.spec': ['core', 'playwright', 'run', 'specs'],
};

const root = path.join(import.meta.dirname, '..');

function filesBelow(folder: string): readonly string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

function roomOf(file: string): string {
  if (file.endsWith('conformance.spec.ts')) return 'conformance.spec';
  if (file === path.join('src', 'report', 'collector.ts')) return 'report/collector';
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
  it('knows every room', () => {
    expect([...new Set(files.map(roomOf))].filter((room) => allowed[room] === undefined)).toEqual([]);
  });

  it.each(Object.keys(allowed))('holds for %s', (room) => {
    const trespasses = files
      .filter((file) => roomOf(file) === room)
      .flatMap((file) => importsOf(file).map((imported) => ({ file, imported, from: roomOf(imported) })))
      .filter(({ from }) => from !== room && allowed[room]?.includes(from) !== true)
      .map(({ file, imported }) => `${file} imports ${imported}`);
    expect(trespasses).toEqual([]);
  });

  it('reads imports at all', () => {
    expect(importsOf(path.join('specs', 'suite.ts'))).toContain(path.join('specs', 'token', 'issued.ts'));
  });
});
