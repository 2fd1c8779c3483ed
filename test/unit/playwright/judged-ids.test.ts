import { expect, test } from 'vitest';
import { UserError } from '../../../src/core/user-error.ts';
import { judgedIds } from '../../../src/playwright/run-plan.ts';

test('the fixture tests the requirements and custom checks that it is given', () => {
  expect(judgedIds(['link/off*', 'x/*', 'observe/latency'], ['x/own'])).toEqual(['link/offset', 'x/own']);
});

test.each([[[]], [['observe/latency']]])('the fixture refuses to test nothing: %s', (globs) => {
  expect(() => judgedIds(globs, [])).toThrow(UserError);
});
