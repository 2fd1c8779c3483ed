import type { Undecided } from '../core/undecided.ts';
import type { View } from '../provider/view.ts';
import type { AskedPage } from './asked-page.ts';
import type { CheckContext, SettleOptions } from './context.ts';
import { askedAt, askForAll, everyTarget } from './every-page.ts';
import { countedPages } from './evidence.ts';
import { Violation } from './findings.ts';

/**
 * What an oracle says of one page: `kept` if a breach would have shown, a Violation, the requirement whose breach
 * prevents a decision, or null if the rule does not speak of the page.
 */
export type PageFinding = 'kept' | Violation | Undecided | null;

/** Says whether one page keeps a rule. Sends nothing that other checks do not send anyway. */
export type PageOracle = (asked: AskedPage, view: View) => PageFinding | Promise<PageFinding>;

/** A rule that speaks of single pages. */
export interface PageRule extends SettleOptions {
  readonly oracle: PageOracle;
  /** Pages that show a breach of this rule, in the order in which to judge them; counted pages unless given. */
  readonly probes?: (context: CheckContext, view: View) => AsyncIterable<AskedPage>;
}

/**
 * Applies a rule to the pages of its probes and then to every page that the run requests without following a link.
 * Throws as `context.settle` does.
 */
export function pageRule({ oracle, probes = countedPages, ...options }: PageRule) {
  return async (context: CheckContext): Promise<void> => {
    await context.settle(options, async (view) => {
      let blocked: Undecided | null = null;
      for await (const asked of probes(context, view)) {
        const finding = await oracle(asked, view);
        if (finding === 'kept') context.exercised();
        else if (finding instanceof Violation) throw finding;
        else blocked ??= finding;
      }
      if (blocked !== null) throw blocked;
    });
    await judgeEveryPage(context, options, async (asked, view) => {
      const finding = await oracle(asked, view);
      return finding instanceof Violation ? finding : null;
    });
  };
}

/**
 * Applies a rule to every page that the run asks for without following a link, in any check: first pages
 * of all sizes, pages of sizes beyond the maximum, pages by their parameters, the ends of the list, uncounted pages.
 * Nothing is asked for that no check asks for anyway; smoke asks for few of them, and is left out. Names with %24 are
 * for page-size/encoded-name to compare. Throws as `context.settle` does.
 *
 * @param rule the breach that a page shows; null where it keeps the rule, or does not show whether it does
 */
export async function judgeEveryPage(
  context: CheckContext,
  options: SettleOptions,
  rule: (asked: AskedPage, view: View) => Promise<Violation | null> | Violation | null,
): Promise<void> {
  if (context.options.suite === 'smoke') return;
  const targets = await everyTarget(context);
  let suspect: string | null = null;
  await context.settle(options, async (view) => {
    if (view === context.view) await askForAll(context, view, targets);
    // The page that showed a breach comes first where that is confirmed.
    for (const target of new Set(suspect === null ? targets : [suspect, ...targets])) {
      const asked = await askedAt(view, target);
      const violation = asked === null ? null : await rule(asked, view);
      if (violation === null) continue;
      suspect = target;
      throw violation;
    }
  });
}
