import { expect, it } from 'vitest';
import { codingsOf } from '../../../src/http/answer/body-reader.ts';

it('an answer may have at most four codings, in one or several headers', () => {
  const coded = (times: number) =>
    codingsOf([
      ['Content-Encoding', Array(times).fill('gzip').join(', ')],
      ['content-encoding', 'identity, BR'],
    ]);
  expect(coded(3)).toEqual(['gzip', 'gzip', 'gzip', 'br']);
  expect(coded(4)).toBeNull();
});
