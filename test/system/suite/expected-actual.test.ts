import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, ViolationRecord } from '../../../src/core/results.ts';
import { count } from '../../support/hostile/hostile-behaviours.ts';
import { type Ground, judgeHostile, startGround } from '../../support/hostile/judge-hostile.ts';
import { judgeMock, requirementOf } from '../../support/judge-mock.ts';

let ground: Ground;
beforeAll(async () => {
  ground = await startGround();
});
afterAll(() => ground.close());

type Sides = readonly [expected: Json | undefined, actual: Json | undefined];

const sides = (violation: ViolationRecord | undefined): Sides => [violation?.expected, violation?.actual];

async function ofCount(literal: string): Promise<Sides> {
  const { results } = await judgeHostile({ does: `counts ${literal} records`, how: count(literal) }, ground);
  const [target] = results.targets;
  if (target === undefined) throw new Error('a target is judged');
  return sides(requirementOf(target, 'count/equals-records').violations[0]);
}

async function ofItems(defect: string): Promise<Sides> {
  const result = await judgeMock({ records: 20, defects: [defect] });
  return sides(requirementOf(result, 'list/items').violations[0]);
}

describe('expected and actual values', () => {
  it('are numbers, or digits if a number would lose precision', async () => {
    expect(await ofCount('9000000000000000')).toEqual([60, 9_000_000_000_000_000]);
    expect(await ofCount('9007199254740993')).toEqual(['60', '9007199254740993']);
  });

  it('refer to the same member of an item', async () => {
    expect(await ofItems('item-id-number')).toEqual([
      'id to be a string, by the schema printer',
      expect.any(Number),
    ]);
    expect(await ofItems('item-id-missing')).toEqual(['id to be there, by the schema printer', 'missing']);
    expect(await ofItems('item-last-null')).toEqual([
      'the item to be an object, by the schema printer',
      null,
    ]);
  });
});
