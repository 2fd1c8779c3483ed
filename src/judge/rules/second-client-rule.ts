import { Undecided } from '../../core/undecided.ts';
import { NoAnswer } from '../../provider/sender.ts';
import type { Traversal } from '../../provider/traversal.ts';
import { confirm } from '../confirmation.ts';
import type { CheckContext, Judge } from '../context.ts';
import { errorOf } from '../outcomes.ts';
import { allSecondClientPages, traversalOfSecondClient } from '../probes/second-client.ts';
import { Violation } from '../violation.ts';
import { type RuleFinding, ruleTest } from './rule.ts';

/**
 * Tests a rule about traversals by the first pages that links give the second client, on snapshots that only this client
 * obtains. Throws Violation, and errors of Assay; what leaves the verdict open there does not count, because this client may see another list, or
 * none.
 *
 * @param caseOf the case that the oracle judges; null for none
 */
export function secondClientRule<Case>(
  oracle: (one: Case) => RuleFinding,
  caseOf: (traversal: Traversal, context: CheckContext) => Promise<Case | null>,
): Judge {
  const judge = ruleTest<Case>({
    atRest: true,
    oracle,
    async *probes(context) {
      const one = await caseOf(await traversalOfSecondClient(context.snapshot), context);
      if (one !== null) yield one;
    },
  });
  return async (context) => {
    const ofSecond = await contextOfSecondClient(context);
    const error = ofSecond === null ? null : await errorOf(() => judge(ofSecond));
    if (error === null || error instanceof Undecided || error instanceof NoAnswer) return;
    throw error instanceof Violation
      ? error.withWords({ before: 'with a token of the second provider: ' })
      : error;
  };
}

/** The context with the list as the second client sees it; null if this client is given no page. */
async function contextOfSecondClient(context: CheckContext): Promise<CheckContext | null> {
  const { snapshots } = await allSecondClientPages(context);
  if (snapshots === null) return null;
  const ofSecond: CheckContext = {
    ...context,
    list: snapshots.at(0).client,
    sharedSnapshot: snapshots.at(0),
    snapshot: snapshots.at(0),
    // Cases of this client count neither for a pass nor against it.
    exercised: () => undefined,
    limitedBy: () => undefined,
    confirm: async (options, attempt) =>
      void (await confirm(snapshots, options, (snapshot) => attempt({ ...ofSecond, snapshot }))),
  };
  return ofSecond;
}
