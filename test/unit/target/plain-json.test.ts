import fastCheck from 'fast-check';
import { describe, expect, it } from 'vitest';
import { documentOf, plainJson } from '../../../src/target/document.ts';

type Path = (string | number)[];

/** Every path in a value, and one that does not exist. */
function pathsOf(value: unknown): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inner = Object.entries(value).flatMap(([key, member]) =>
    pathsOf(member).map((rest) => [Array.isArray(value) ? Number(key) : key, ...rest]),
  );
  return [[], ['nowhere'], ...inner];
}

describe('a target file in JSON', () => {
  it('is read without the YAML parser with the same values and lines', async () => {
    const key = fastCheck.string({ minLength: 1, maxLength: 8 }).filter((name) => name !== '__proto__');
    const { object } = fastCheck.letrec((tie) => ({
      value: fastCheck.oneof(
        { maxDepth: 3 },
        fastCheck.string({ unit: 'grapheme' }),
        fastCheck.integer(),
        fastCheck.boolean(),
        fastCheck.constant(null),
        fastCheck.array(tie('value'), { maxLength: 3 }),
        tie('object'),
      ),
      object: fastCheck.dictionary(key, tie('value'), { maxKeys: 4 }),
    }));
    let plain = 0;
    const same = fastCheck.asyncProperty(object, fastCheck.constantFrom(0, 1, 2), async (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      if (plainJson(text) === null) return;
      plain++;
      const quick = await documentOf('a', text, 'target');
      // A comment is not JSON.
      const careful = await documentOf('a', `${text} # YAML`, 'target');
      expect(quick.value).toEqual(careful.value);
      for (const path of pathsOf(value))
        for (const atKey of [true, false])
          expect([path, quick.lineOf(path, atKey)]).toEqual([path, careful.lineOf(path, atKey)]);
    });
    await fastCheck.assert(same, { numRuns: 300, seed: 1 });
    expect(plain).toBeGreaterThan(150);
  });

  it.each([
    '{"a": 1, "a": 2}',
    '{"a": 1.0}',
    '{"a": 1e400}',
    '[]',
    'null',
    '"a"',
    '{a: 1}',
    '{"a": 1} # a',
    '',
  ])('is left to the YAML parser if both differ or it is not JSON: %s', (text) => {
    expect(plainJson(text)).toBeNull();
  });
});
