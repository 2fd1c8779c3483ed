import { expect, it } from 'vitest';
import { LargeBodyLock } from '../../../src/http/answer/body-reader.ts';

it('one large body at a time is read, and the next one after it', () => {
  const lock = new LargeBodyLock();
  const granted: string[] = [];
  const refused: string[] = [];
  const acquire = (name: string) =>
    lock.acquire(
      () => granted.push(name),
      () => refused.push(name),
    );
  const releaseFirst = acquire('first');
  const releaseSecond = acquire('second');
  acquire('third');
  expect(granted).toEqual(['first']);
  releaseFirst();
  expect(granted).toEqual(['first', 'second']);
  releaseSecond(true);
  expect({ granted, refused }).toEqual({ granted: ['first', 'second'], refused: ['third'] });
});
