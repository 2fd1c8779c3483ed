import { expect, it } from 'vitest';
import { proveHere } from '../../support/prove.ts';

it('a list that changes only once during the test is tested completely', async () => {
  const only = [
    'living-one-added-once',
    'living-one-removed-once',
    'living-one-removed-at-once',
    'living-one-added-late',
    'living-moved-to-front-once',
    'living-replaced-at-once',
    'living-halved',
  ];
  const { variants } = await proveHere({ only, seed: 3 });
  expect(variants).toHaveLength(only.length);
  expect(
    variants
      .filter(({ inconclusive }) => inconclusive.length > 0)
      .map(({ id, inconclusive }) => [id, inconclusive]),
  ).toEqual([]);
});
