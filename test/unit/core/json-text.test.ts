import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonLine, jsonText } from '../../../src/core/json-text.ts';
import { packageFile } from '../../../src/core/package-file.ts';

const HIDDEN = '\u0007\u007f\u009b31m\u00ad\u200b\u200d\u202e\u2028\u2066\ufeff\ufffe\u{e0041}';
const SHOWN = 'é 漢 "quoted" \\ \n 😀';

describe('JSON that Assay writes', () => {
  it('escapes every invisible character without changing the value', () => {
    const value = { [HIDDEN]: [HIDDEN, SHOWN, { deeper: null }] };
    for (const text of [jsonText(value), jsonLine(value)]) {
      expect(text).not.toMatch(
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u202e\u2066\ufeff\ufffe\u{e0041}]/u,
      );
      expect(JSON.parse(text)).toEqual(value);
    }
    expect(jsonLine('\u009b\u{e0041}')).toBe('"\\u009b\\udb40\\udc41"');
  });

  it('equals JSON.stringify for visible characters', () => {
    const value = { a: [1, SHOWN], b: {} };
    expect(jsonText(value)).toBe(JSON.stringify(value, null, 2));
    expect(jsonLine(value)).toBe(JSON.stringify(value));
  });

  it('is written by no other code', () => {
    const bare = ['cli', 'report', 'playwright']
      .flatMap((room) => readdirSync(packageFile(`src/${room}`), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .filter((entry) =>
        readFileSync(path.join(entry.parentPath, entry.name), 'utf8').includes(', null, 2)'),
      );
    expect(bare.map(({ name }) => name)).toEqual([]);
  });
});
