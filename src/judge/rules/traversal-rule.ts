import { Undecided } from '../../core/undecided.ts';
import type { CheckContext } from '../context.ts';
import { Violation } from '../violation.ts';
import { judgeCases, type Rule, type RuleFinding, type RuleTest } from './rule.ts';

/** A rule about single traversals of the list, which speaks of data at rest. */
interface TraversalRule<Case> extends Pick<Rule<Case>, 'oracle' | 'obstacle'> {
  /** The traversals, with the facts that the oracle needs. */
  readonly traversals: Rule<Case>['probes'];
  /**
   * Finds another proof of a breach that was seen and did not show again, or another explanation of it; null if there
   * is neither.
   */
  readonly otherProof?: (context: CheckContext, seen: Case) => Promise<Violation | Undecided | null>;
}

/** Tests a rule by applying its oracle to every traversal that its probes give. */
export function traversalRule<Case>({
  oracle,
  traversals,
  otherProof,
  ...rule
}: TraversalRule<Case>): RuleTest {
  const judge = async (context: CheckContext): Promise<void> => {
    const broken: Case[] = [];
    const noticing = (one: Case): RuleFinding => {
      const finding = oracle(one);
      if (finding instanceof Violation) broken.push(one);
      return finding;
    };
    const judged = judgeCases(context, { ...rule, atRest: true, probes: traversals, oracle: noticing });
    const open = await judged.then(
      () => null,
      (error: unknown) => error,
    );
    if (open !== null && !(open instanceof Undecided)) throw open;
    const [seen] = broken;
    const other = seen === undefined ? null : ((await otherProof?.(context, seen)) ?? null);
    if (other instanceof Violation || (other !== null && open !== null)) throw other;
    if (open !== null) throw open;
  };
  return { oracle, judge };
}
