import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Span, scanJson } from '../../../src/core/json-scanner.ts';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON with one byte changed, removed, duplicated or inserted at structural places. */
const damaged = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.array(
      fc.tuple(fc.nat(), fc.constantFrom('change', 'drop', 'double', 'insert'), fc.constantFrom(...JOINTS())),
      {
        maxLength: 3,
      },
    ),
  )
  .map(([text, damages]) =>
    damages.reduce((whole, [where, how, letter]) => {
      const at = where % (whole.length + 1);
      const rest = whole.slice(at);
      if (how === 'insert') return whole.slice(0, at) + letter + rest;
      if (how === 'double') return whole.slice(0, at) + rest.slice(0, 1) + rest;
      return whole.slice(0, at) + (how === 'change' ? letter : '') + rest.slice(1);
    }, text),
  );

function JOINTS(): readonly string[] {
  return [...'[]{},:"\\ \n\t0123456789-+.eEtfnula/buxX\u0000\u001f\u007fü'];
}

describe('scanJson', () => {
  it('accepts exactly what JSON.parse accepts', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        expect(scanJson(Buffer.from(text), 100) === null).toBe(isJson(text));
      }),
      {
        numRuns: 20_000,
        examples: [
          ...[
            '',
            ' ',
            '1 ',
            '-',
            '-0',
            '01',
            '1.',
            '.5',
            '1e',
            '1e+',
            '1E-2',
            'tru',
            'nulll',
            '[1,]',
            '[,1]',
          ],
          ...[
            '{"a":1,}',
            '{,}',
            '{"a"}',
            '{a:1}',
            '[1 2]',
            '"\\u12"',
            '"\\x"',
            '"\u007f"',
            '"\t"',
            '[}',
            '{]',
          ],
          ...['[1]]', '{}{}', '"a', '["\\"]', '\uFEFF1', '[\u00a01]', '"\ud800"', '1\0'],
        ].map((text): [string] => [text]),
      },
    );
  });

  it('reports the offset at which a text becomes invalid', () => {
    for (const [text, at] of [
      ['[1,}', 3],
      ['{"a" 1}', 5],
      ['"a\nb"', 2],
      ['[truf]', 4],
      ['{} {}', 3],
      ['[1,2', 4],
    ] as const) {
      expect(scanJson(Buffer.from(text), 100)).toEqual({ kind: 'not-json', at });
    }
  });

  it('reports the depth limit before later errors', () => {
    expect(scanJson(Buffer.from('[[[1]]]'), 3)).toBeNull();
    for (const [text, maxDepth] of [
      ['[[[[1]]]]', 3],
      ['{"a":{"b":[[1]]}} nonsense', 3],
      ['['.repeat(1_000_000), 100],
    ] as const)
      expect(scanJson(Buffer.from(text), maxDepth)).toEqual({ kind: 'too-deep' });
  });

  it('reports the members of the outermost object and the elements of its arrays', () => {
    const text = ' {"a" : [1, {"x":[2]}, "]"] , "b":{"c":[3]},"d":4} ';
    const visited: string[] = [];
    const slice = ({ from, to }: Span): string => text.slice(from, to);
    scanJson(Buffer.from(text), 10, {
      member: (name, value) => visited.push(`member ${slice(name)} ${slice(value)}`),
      element: (from, to, name) =>
        visited.push(`element of ${name === null ? '' : slice(name)} ${slice({ from, to })}`),
    });
    expect(visited).toEqual([
      'element of "a" 1',
      'element of "a" {"x":[2]}',
      'element of "a" "]"',
      'member "a" [1, {"x":[2]}, "]"]',
      'member "b" {"c":[3]}',
      'member "d" 4',
    ]);
  });
});
