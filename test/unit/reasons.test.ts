import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

/** Code that inspects a sentence: a method of the text, or a regular expression. */
const READS = [
  /\b(?:reason|sentence|detail)\??\.(?:startsWith|endsWith|includes|match|matchAll|replace|replaceAll|search|split)\(/u,
  /\.(?:test|exec)\([^()]*\b(?:reason|sentence|detail)\b/u,
  /(?<!typeof )\b(?:reason|sentence|detail)\s*[!=]==\s*['"`][^'"`]/u,
];

test('no source file parses a sentence to determine a cause', () => {
  const files = ['src', 'specs'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/u.test(file))
      .map((file) => path.join(folder, file)),
  );
  const found = files.flatMap((file) =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        READS.some((one) => one.test(line)) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
  expect(found).toEqual([]);
  expect(files.length).toBeGreaterThan(300);
});
