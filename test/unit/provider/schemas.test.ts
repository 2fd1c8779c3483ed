import { expect, it } from 'vitest';
import { adoptSchema, validatorFor } from '../../../src/provider/schemas.ts';

it('calls no text empty that is only too short', () => {
  adoptSchema('of at least 3 characters', { type: 'string', minLength: 3 });
  const validate = validatorFor('of at least 3 characters');
  expect(validate('')).toMatchObject({ message: 'is an empty string' });
  expect(validate('ab')).toMatchObject({ wanted: null, actual: 'ab' });
  expect(validate('ab')?.message).toContain('3 characters');
});
