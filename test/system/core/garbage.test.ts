import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { STEADY_YOUNG_SPACE } from '../../../src/core/garbage.ts';

/** Bytes that the engine has taken for new objects before and after many were made, some of which stay. */
const SCRIPT = `
  const v8 = require('node:v8');
  const young = () => v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
  const before = young();
  if (process.argv[1] !== '') v8.setFlagsFromString(process.argv[1]);
  const kept = [];
  for (let turn = 0; turn < 3_000_000; turn++) {
    const made = { turn, text: [turn] };
    if (turn % 4 === 0) kept.push(made);
  }
  console.log(JSON.stringify([before, young(), kept.length]));
`;

function spaces(flag: string): readonly number[] {
  const told = execFileSync(process.execPath, ['--eval', SCRIPT, '--', flag], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
  return JSON.parse(told) as readonly number[];
}

describe('the room for new objects', () => {
  it('grows where many are made, and not once it is to stay as it is', () => {
    const [before = 0, after = 0] = spaces('');
    expect(after).toBeGreaterThan(4 * before);
    const [steady = 0, still = 0] = spaces(STEADY_YOUNG_SPACE);
    // Of its two halves the second is taken when it is needed first.
    expect(still).toBeLessThanOrEqual(2 * steady);
  });
});
