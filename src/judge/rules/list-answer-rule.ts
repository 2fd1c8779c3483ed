import type { Undecided } from '../../core/undecided.ts';
import type { ListAnswer } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { blockedByRefusal } from '../expected-page.ts';
import { Violation } from '../violation.ts';
import type { RuleFinding, RuleTest } from './rule.ts';

/** Says whether one answer to a list call keeps a rule. Sends nothing. */
type ListAnswerOracle = (answer: ListAnswer, snapshot: Snapshot) => Exclude<RuleFinding, Undecided>;

/** A rule about single answers to list calls. */
interface ListAnswerRule {
  readonly oracle: ListAnswerOracle;
  /** The answers to judge. Throws Undecided if there is nothing to judge. */
  readonly probes: (context: CheckContext, snapshot: Snapshot) => AsyncIterable<ListAnswer>;
  /** Whether a violation says how many of the answers show the breach; false unless given. */
  readonly hasShare?: boolean;
}

/**
 * Tests a rule by applying its oracle to every answer that its probes give. Refused calls are left out, and limit the
 * check.
 */
export function listAnswerRule({ oracle, probes, hasShare = false }: ListAnswerRule): RuleTest {
  const judge = async (context: CheckContext): Promise<void> => {
    let share = '';
    await context.confirm({ atRest: false }, async (snapshot) => {
      const isFirst = snapshot === context.snapshot;
      const broken: Violation[] = [];
      let judged = 0;
      for await (const answer of probes(context, snapshot)) {
        if (answer.kind === 'refused') context.limitedBy(blockedByRefusal(answer));
        const finding = answer.kind === 'refused' ? null : oracle(answer, snapshot);
        if (finding === null) continue;
        context.exercised();
        judged++;
        if (finding === 'kept') continue;
        broken.push(finding);
        // A snapshot that confirms a breach requests no more than it needs.
        if (!hasShare || !isFirst) break;
      }
      if (hasShare && isFirst && broken.length > 0) share = ` (${broken.length} of ${judged} answers)`;
      const [first] = broken;
      if (first !== undefined) throw withShare(first, share);
    });
  };
  return { judge };
}

function withShare({ breaches }: Violation, share: string): Violation {
  return new Violation(breaches.map((breach) => ({ ...breach, message: `${breach.message}${share}` })));
}
