import type { CheckContext } from './context.ts';
import { judgeCases, type Rule, type RuleFinding } from './rule.ts';

/** A rule about single traversals of the list, which speaks of data at rest. */
interface TraversalRule<Case> extends Pick<Rule<Case>, 'obstacle'> {
  /** Pure. Throws Undecided if nothing can be judged. */
  readonly oracle: (one: Case) => RuleFinding;
  /** The traversals, with what the oracle must know of them. */
  readonly traversals: Rule<Case>['probes'];
}

/** A check that applies an oracle to every traversal that its probes give. It throws as `context.confirm` does. */
export function traversalRule<Case>({ traversals, ...rule }: TraversalRule<Case>) {
  return (context: CheckContext): Promise<void> =>
    judgeCases(context, { ...rule, atRest: true, probes: traversals });
}
