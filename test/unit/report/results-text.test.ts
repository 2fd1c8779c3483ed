import { describe, expect, test } from 'vitest';
import { jsonText } from '../../../src/core/json-text.ts';
import { resultsInPieces } from '../../../src/report/folder/report-writer.ts';
import { many } from '../../support/report/many-sample.ts';
import { FORBIDDEN, hostile, mixed, results, target } from '../../support/report/sample.ts';

describe('results.json', () => {
  test.each([
    ['no target', results([])],
    ['a target without verdicts', results([target([])])],
    ['every verdict', mixed()],
    ['hostile text', hostile()],
    ['many targets', many()],
  ])('is the same text in pieces: %s', (_name, run) => {
    expect([...resultsInPieces(run)].join('')).toBe(`${jsonText(run)}\n`);
  });

  test('contains invisible characters only as escapes', () => {
    expect([...resultsInPieces(hostile())].join('').replaceAll('\n', '')).not.toMatch(FORBIDDEN);
  });

  test('has one piece per target', () => {
    const pieces = [...resultsInPieces(many())];
    expect(pieces).toHaveLength(many().targets.length + 2);
    for (const piece of pieces) expect(piece.match(/"authUrl"/gu)?.length ?? 0).toBeLessThanOrEqual(1);
  });
});
