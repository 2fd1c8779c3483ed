import type { Undecided } from '../core/undecided.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { CheckContext, ConfirmOptions } from './context.ts';
import { countedPages } from './counted-pages.ts';
import { allTargets, requestAll, requestPage } from './page-targets.ts';
import type { RequestedPage } from './requested-page.ts';
import { Violation } from './violation.ts';

/**
 * What an oracle says of one page: `kept` if a breach would have shown, a Violation, the requirement whose breach
 * prevents a decision, or null if the rule does not speak of the page.
 */
export type PageFinding = 'kept' | Violation | Undecided | null;

/** Says whether one page keeps a rule. Sends nothing that other checks do not send anyway. */
export type PageOracle = (asked: RequestedPage, snapshot: Snapshot) => PageFinding | Promise<PageFinding>;

/** A rule that speaks of single pages. */
export interface PageRule extends ConfirmOptions {
  readonly oracle: PageOracle;
  /** Pages that show a breach of this rule, in the order in which to judge them; counted pages unless given. */
  readonly probes?: (context: CheckContext, snapshot: Snapshot) => AsyncIterable<RequestedPage>;
}

/**
 * Applies a rule to the pages of its probes and then to every page that the run requests without following a link.
 * Throws as `context.confirm` does.
 */
export function pageRule({ oracle, probes = countedPages, ...options }: PageRule) {
  return async (context: CheckContext): Promise<void> => {
    await context.confirm(options, async (snapshot) => {
      let blocked: Undecided | null = null;
      for await (const asked of probes(context, snapshot)) {
        const finding = await oracle(asked, snapshot);
        if (finding === 'kept') context.exercised();
        else if (finding instanceof Violation) throw finding;
        else blocked ??= finding;
      }
      if (blocked !== null) throw blocked;
    });
    await judgeEveryPage(context, options, async (asked, snapshot) => {
      const finding = await oracle(asked, snapshot);
      return finding instanceof Violation ? finding : null;
    });
  };
}

/**
 * Applies a rule to every page that any check requests without following a link: first pages of all sizes,
 * pages of sizes beyond the maximum, pages by their parameters, the ends of the list, uncounted pages. It sends
 * no requests of its own. Smoke requests few such pages and is left out. page-size/encoded-name compares names
 * with %24. Throws as `context.confirm` does.
 *
 * @param rule the breach that a page shows; null if it keeps the rule, or does not show whether it does
 */
export async function judgeEveryPage(
  context: CheckContext,
  options: ConfirmOptions,
  rule: (asked: RequestedPage, snapshot: Snapshot) => Promise<Violation | null> | Violation | null,
): Promise<void> {
  if (context.options.suite === 'smoke') return;
  const targets = await allTargets(context);
  let suspect: string | null = null;
  await context.confirm(options, async (snapshot) => {
    if (snapshot === context.snapshot) await requestAll(context, snapshot, targets);
    // The page that showed a breach comes first when it is confirmed.
    for (const target of new Set(suspect === null ? targets : [suspect, ...targets])) {
      const asked = await requestPage(snapshot, target);
      const violation = asked === null ? null : await rule(asked, snapshot);
      if (violation === null) continue;
      suspect = target;
      throw violation;
    }
  });
}
