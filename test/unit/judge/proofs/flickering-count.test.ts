import { expect, test } from 'vitest';
import { connectionOfTurn } from '../../../../src/judge/proofs/flickering-count.ts';

test.each([1, 2, 3, 6])('each of %i request targets is sent over both kinds of connection', (targets) => {
  for (let place = 0; place < targets; place++) {
    const connections = [place, place + targets].map((number) => connectionOfTurn(number, targets));
    expect(new Set(connections)).toEqual(new Set(['kept', 'new']));
  }
});
