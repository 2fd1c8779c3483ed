import type { Check } from '../judge/check.ts';

/** Every check with its list: checks of scope `target` with the first one only, others with each list. */
export function plan<List>(
  checks: readonly Check[],
  lists: readonly List[],
): readonly { readonly check: Check; readonly list: List }[] {
  return checks.flatMap((check) =>
    (check.scope === 'target' ? lists.slice(0, 1) : lists).map((list) => ({ check, list })),
  );
}
