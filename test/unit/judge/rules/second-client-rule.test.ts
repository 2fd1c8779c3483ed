import { expect, it } from 'vitest';
import { unavailable } from '../../../../src/core/undecided.ts';
import type { CheckContext } from '../../../../src/judge/context.ts';
import { secondClientRule } from '../../../../src/judge/rules/second-client-rule.ts';

/** Judges a list of the second client, for which the case cannot be made. */
function judgedWith(error: Error): Promise<void> {
  const snapshot = { client: {}, traversal: async () => ({}) };
  const pages = { snapshots: { at: () => snapshot } };
  const context = { list: { memo: { once: async () => pages } } };
  const rule = secondClientRule<object>(
    () => 'kept',
    async () => {
      throw error;
    },
  );
  return rule(context as unknown as CheckContext);
}

it('what keeps a rule from being judged for the second client is no error, and a mistake of Assay is one', async () => {
  await expect(judgedWith(unavailable(503, 'no answer'))).resolves.toBeUndefined();
  await expect(judgedWith(new TypeError('no such member'))).rejects.toThrow(TypeError);
});
