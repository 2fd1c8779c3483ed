import type { Check, JudgeInput, OfflineAnswers } from './check.ts';
import type { CheckContext } from './context.ts';
import { CheckEvidence, contextFor } from './judge.ts';
import { errorOf } from './optional-answer.ts';
import { Violation } from './violation.ts';

/**
 * Whether a check finds a breach in the answers so far. It sends nothing, so it neither confirms a breach nor shows
 * that the requirement is kept: its result only decides whether to run the check.
 *
 * @param answers the answers so far; several checks may share them
 */
export async function showsBreachOffline(
  check: Check,
  input: JudgeInput,
  { tokens, list, snapshot }: OfflineAnswers,
): Promise<boolean> {
  const evidence = new CheckEvidence(check);
  const context: CheckContext = {
    ...contextFor(check, { ...input, tokens, list, lists: [list] }, evidence),
    sharedSnapshot: snapshot,
    snapshot,
    clock: { now: () => input.clock.now(), sleep: () => Promise.reject(new Error('nothing waits offline')) },
    confirm: (_options, attempt) => attempt(context),
    property: async (property, attempt) => {
      let firstError: unknown = null;
      for (const example of property.examples) {
        const error = await errorOf(() => attempt(context, example));
        if (error instanceof Violation) throw error;
        firstError ??= error;
      }
      if (firstError !== null) throw firstError;
    },
  };
  const error = await errorOf(async () => {
    await check.judge(context);
    for (const part of evidence.laterParts) await part();
  });
  return error instanceof Violation;
}
