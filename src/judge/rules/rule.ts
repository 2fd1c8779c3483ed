import type { Undecided } from '../../core/undecided.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext, ConfirmOptions } from '../context.ts';
import { Violation } from '../violation.ts';

/**
 * What an oracle says of one case: `kept` if a breach would have shown, a Violation, the reason that prevents a
 * decision, or null if the rule does not speak of the case.
 */
export type RuleFinding = 'kept' | Violation | Undecided | null;

/**
 * Says whether one case keeps a rule, given what is known about it. Pure: it neither sends a request nor waits for one.
 * An oracle may also return whether the rule is kept.
 */
export type Oracle = (...known: never[]) => RuleFinding | boolean;

/** How a rule is tested, to be spread into the definition of its requirement. */
export interface RuleTest {
  readonly oracle: Oracle;
  /** Throws as `context.confirm` does. */
  readonly judge: (context: CheckContext) => Promise<void>;
}

/** A rule, and the cases in which a breach would show. */
export interface Rule<Case> extends ConfirmOptions {
  /** Requests the cases, in the order in which to judge them. Throws Undecided if there is nothing to judge. */
  readonly probes: (context: CheckContext, snapshot: Snapshot) => AsyncIterable<Case>;
  readonly oracle: (one: Case) => RuleFinding;
  /** Why the cases are not enough for a pass; null if they are. Called if the oracle decided all of them. */
  readonly obstacle?: (context: CheckContext, snapshot: Snapshot) => Promise<Undecided | null>;
}

/** Applies a rule to its cases until one breaks it, and confirms the breach. Throws as `context.confirm` does. */
export function judgeCases<Case>(
  context: CheckContext,
  { probes, oracle, obstacle, ...options }: Rule<Case>,
): Promise<void> {
  return context.confirm(options, async (snapshot) => {
    let blocked: Undecided | null = null;
    for await (const one of probes(context, snapshot)) {
      const finding = oracle(one);
      if (finding === 'kept') context.exercised();
      else if (finding instanceof Violation) throw finding;
      else blocked ??= finding;
    }
    blocked ??= (await obstacle?.(context, snapshot)) ?? null;
    if (blocked !== null) throw blocked;
  });
}
