import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packageFile } from '../../../src/core/package-file.ts';

const read = (name: string): string => readFileSync(packageFile(name), 'utf8');
const excerpts = [
  ...read('docs/contributing.md').matchAll(/^<!-- excerpt of (\S+) -->\n+```ts\n(.*?)^```$/gms),
].map(([, file = '', code = '']) => ({ file, code }));

it('docs/contributing.md marks all of its TypeScript as excerpts', () => {
  expect(excerpts).toHaveLength(read('docs/contributing.md').split('```ts').length - 1);
});

it.each(excerpts)('docs/contributing.md shows code of $file as it is', ({ file, code }) => {
  expect(read(file)).toContain(code);
});
