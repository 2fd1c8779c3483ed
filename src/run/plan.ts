import type { Check } from '../judge/check.ts';

/** Every check with the input of its list: checks of scope `target` with the first one only, others with each. */
export function plan<Input>(
  checks: readonly Check[],
  inputs: readonly Input[],
): readonly { readonly check: Check; readonly input: Input }[] {
  return checks.flatMap((check) =>
    (check.scope === 'target' ? inputs.slice(0, 1) : inputs).map((input) => ({ check, input })),
  );
}
