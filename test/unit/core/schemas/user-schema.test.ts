import { describe, expect, it } from 'vitest';
import { compileUserSchema } from '../../../../src/core/schemas/user-schema.ts';

describe('a schema of the user', () => {
  it('applies patterns to values and names', () => {
    const matches = compileUserSchema({
      properties: { id: { pattern: '^(a+)+$' } },
      patternProperties: { '^x-': { type: 'string' } },
    });
    expect(matches({ id: 'aaa', 'x-a': 'b' })).toBe(true);
    expect(matches({ id: 'aab' })).toBe(false);
    expect(matches({ 'x-a': 1 })).toBe(false);
    expect(matches({ id: `${'a'.repeat(100_000)}!` })).toBe(false);
  });

  it.each<[string, object, RegExp]>([
    [
      'a lookahead',
      { properties: { id: { pattern: 'a(?!b)' } } },
      /^pattern at #\/properties\/id\/pattern /u,
    ],
    ['a back reference', { patternProperties: { '(a)\\1': {} } }, /^a name in patternProperties /u],
    ['an endless reference', { $ref: '#' }, /its references never end/u],
    ['an asynchronous part', { $async: true }, /^\$async at #\/\$async /u],
    ['the slow format url', { items: { format: 'url' } }, /^format at #\/items\/format /u],
  ])('is rejected with the location of %s', (_what, schema, words) => {
    expect(() => compileUserSchema(schema)).toThrow(words);
  });

  it('takes decimal fractions for what they are written as', () => {
    const matches = compileUserSchema({ multipleOf: 0.01 });
    expect([0.07, 19.99, 0.075].map((value) => matches(value))).toEqual([true, true, false]);
  });

  it('may contain data that looks like a keyword', () => {
    const matches = compileUserSchema({ enum: [{ format: 'url', pattern: '(?!a)' }] });
    expect(matches({ format: 'url', pattern: '(?!a)' })).toBe(true);
  });

  it('may refer to itself', () => {
    const matches = compileUserSchema({ type: 'object', properties: { part: { $ref: '#' } } });
    expect(matches({ part: { part: {} } })).toBe(true);
    expect(matches({ part: { part: 1 } })).toBe(false);
  });
});
