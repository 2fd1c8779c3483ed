import { Undecided } from '../../core/undecided.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext, ConfirmOptions, Judge } from '../context.ts';
import { errorOf } from '../optional-answer.ts';
import { Violation } from '../violation.ts';

/**
 * What an oracle says of one case: `kept` if a breach would have shown, a Violation, the reason that prevents a
 * decision, or null if the rule does not speak of the case.
 */
export type RuleFinding = 'kept' | Violation | Undecided | null;

/** The cases in which a breach of a rule would show, and how they are judged. */
interface Cases<Case> extends ConfirmOptions {
  /** Requests the cases, in the order in which to judge them. Throws Undecided if there is nothing to judge. */
  readonly probes: (context: CheckContext, snapshot: Snapshot) => AsyncIterable<Case>;
  /**
   * Requests again the case that showed a breach. Later snapshots judge it first, since the others may be too many to request
   * again. Null if it gives no case now.
   */
  readonly repeat?: (seen: Case, snapshot: Snapshot) => Promise<Case | null>;
  /** Why the cases are not enough for a pass; null if they are. Called if the oracle decided all of them. */
  readonly obstacle?: (context: CheckContext, snapshot: Snapshot) => Promise<Undecided | null>;
  /**
   * Finds another proof of a breach that was seen and did not show again, or another explanation of it; null if there
   * is neither.
   */
  readonly otherProof?: (context: CheckContext, seen: Case) => Promise<Violation | Undecided | null>;
}

/** A rule whose oracle needs to know nothing but the case. */
interface Rule<Case> extends Cases<Case> {
  /** Says whether a case keeps the rule. Pure: it neither sends a request nor waits for one. */
  readonly oracle: (one: Case) => RuleFinding;
}

/** Tests a rule by applying its oracle to every case that its probes give. */
export function ruleTest<Case>(rule: Rule<Case>): Judge {
  return (context) => judgeCases(context, rule, rule.oracle);
}

/**
 * Applies a rule to its cases until one breaks it, and confirms the breach. Throws as `context.confirm` does.
 *
 * @param decide gathers what the oracle needs to know about a case, and applies it
 */
export async function judgeCases<Case>(
  context: CheckContext,
  { probes, repeat, obstacle, otherProof, ...options }: Cases<Case>,
  decide: (one: Case, snapshot: Snapshot) => RuleFinding | Promise<RuleFinding>,
): Promise<void> {
  const broken: Case[] = [];
  async function* cases(snapshot: Snapshot): AsyncGenerator<Case> {
    const seen = broken.at(-1);
    const again = seen === undefined ? null : ((await repeat?.(seen, snapshot)) ?? null);
    if (again !== null) yield again;
    yield* probes(context, snapshot);
  }
  const judgeOn = async (snapshot: Snapshot): Promise<void> => {
    let blocked: Undecided | null = null;
    for await (const one of cases(snapshot)) {
      const finding = await decide(one, snapshot);
      if (finding === 'kept') context.exercised();
      else if (finding instanceof Violation) {
        broken.push(one);
        throw finding;
      } else blocked ??= finding;
    }
    blocked ??= (await obstacle?.(context, snapshot)) ?? null;
    if (blocked !== null) throw blocked;
  };
  const open = await errorOf(() => context.confirm(options, judgeOn));
  if (open !== null && !(open instanceof Undecided)) throw open;
  const [seen] = broken;
  const other = seen === undefined ? null : ((await otherProof?.(context, seen)) ?? null);
  if (other instanceof Violation || (other !== null && open !== null)) throw other;
  if (open !== null) throw open;
}
