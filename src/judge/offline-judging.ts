import type { Check } from './check.ts';
import type { CheckContext } from './context.ts';
import type { JudgeInput, OfflineAnswers } from './judge-input.ts';
import { seededNumber } from './seeded-number.ts';
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
  const parts: (() => Promise<void>)[] = [];
  const context: CheckContext = {
    ...input,
    requirement: check.requirement,
    tokens,
    list,
    lists: [list],
    snapshot,
    isSecondAttempt: false,
    clock: { now: () => input.clock.now(), sleep: () => Promise.reject(new Error('nothing waits offline')) },
    exercised: () => undefined,
    limitedBy: () => undefined,
    afterAllChecks: (part) => parts.push(part),
    suspectSizes: new Set(),
    random: (label) => seededNumber(input.options.seed, label),
    confirm: (_options, oracle) => oracle(snapshot),
    property: async (property, oracle) => {
      let firstError: unknown = null;
      for (const example of property.examples) {
        try {
          await oracle(snapshot, example);
        } catch (error) {
          if (error instanceof Violation) throw error;
          firstError ??= error;
        }
      }
      if (firstError !== null) throw firstError;
    },
  };
  try {
    await check.judge(context);
    for (const part of parts) await part();
    return false;
  } catch (error) {
    return error instanceof Violation;
  }
}
