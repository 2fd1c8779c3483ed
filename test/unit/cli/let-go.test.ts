import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { letGo } from '../../../src/cli/let-go.ts';

function leftBehind(): WeakRef<Float64Array> {
  return new WeakRef(new Float64Array(1_000_000));
}

it('what a long walk leaves behind is let go before the report is made', async () => {
  const left = leftBehind();
  await turn();
  letGo(1_000_000);
  await turn();
  expect(left.deref()).toBeUndefined();
});
