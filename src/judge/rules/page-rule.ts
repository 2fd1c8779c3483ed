import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext, ConfirmOptions } from '../context.ts';
import { countedPages } from '../probes/counted-pages.ts';
import { allTargets, requestAll, requestPage } from '../probes/page-targets.ts';
import type { RequestedPage } from '../probes/requested-page.ts';
import { Violation } from '../violation.ts';
import { judgeCases, type RuleFinding, type RuleTest } from './rule.ts';

/** Says whether one page keeps a rule. Sends nothing that other checks do not send anyway. */
export type PageOracle = (asked: RequestedPage, snapshot: Snapshot) => RuleFinding | Promise<RuleFinding>;

/** A rule for single pages, applied to every page of the run, also to pages that other checks request. */
export interface StatedOracle {
  /** Whether the rule speaks of data at rest. */
  readonly atRest: boolean;
  /** Whether the rule compares records, which may be replaced while their number stays the same. */
  readonly comparesRecords?: boolean;
  /** Whether the rule also holds for a provider that does not know names with %24. */
  readonly holdsForEncodedNames?: boolean;
  /** Whether the rule holds for whatever query. */
  readonly holdsForAnyQuery?: boolean;
  readonly judge: PageOracle;
}

/** A rule that speaks of single pages. */
export interface PageRule extends ConfirmOptions {
  readonly oracle: PageOracle;
  /** Pages that show a breach of this rule, in the order in which to judge them; counted pages unless given. */
  readonly probes?: (context: CheckContext, snapshot: Snapshot) => AsyncIterable<RequestedPage>;
  readonly holdsForEncodedNames?: boolean;
}

/** How a rule for pages is tested, with its oracle for pages that other checks request. */
interface PageRuleTest extends RuleTest {
  readonly oracle: StatedOracle;
}

/**
 * Tests a rule by applying its oracle to the pages of its probes, and then to every page that the run requests without
 * following a link.
 */
export function pageRule({
  oracle,
  probes = countedPages,
  holdsForEncodedNames = false,
  ...options
}: PageRule): PageRuleTest {
  const judge = async (context: CheckContext): Promise<void> => {
    await judgeCases(context, {
      ...options,
      ...(options.atRest ? suspectFirst(probes, oracle) : { probes, oracle }),
    });
    await judgeEveryPage(context, options, oracle);
  };
  const stated: StatedOracle = { atRest: options.atRest, holdsForEncodedNames, judge: oracle };
  return { judge, oracle: stated };
}

/**
 * Probes that begin with the page that showed a breach if a check is judged again, and an oracle that remembers that
 * page.
 */
function suspectFirst(
  probes: NonNullable<PageRule['probes']>,
  oracle: PageOracle,
): Required<Pick<PageRule, 'probes' | 'oracle'>> {
  let suspect: RequestedPage | null = null;
  return {
    probes: async function* (context, snapshot) {
      if (suspect !== null && context.isSecondAttempt) {
        const { position, page } = suspect;
        const asked = await requestPage(snapshot, page.target);
        if (asked !== null) yield { ...asked, position };
      }
      yield* probes(context, snapshot);
    },
    oracle: async (asked, snapshot) => {
      const finding = await oracle(asked, snapshot);
      if (finding instanceof Violation) suspect = asked;
      return finding;
    },
  };
}

/**
 * Applies a rule to every page that any check requests without following a link: first pages of all sizes, pages of
 * sizes beyond the maximum, pages by their parameters, the ends of the list, uncounted pages. Sends no requests of its
 * own. Does nothing in smoke, which requests few such pages. Leaves comparisons of names with %24 to
 * page-size/encoded-name. Throws as `context.confirm` does.
 *
 * @param oracle what does not show a breach is left out
 */
export async function judgeEveryPage(
  context: CheckContext,
  options: ConfirmOptions,
  oracle: PageOracle,
): Promise<void> {
  if (context.options.suite === 'smoke') return;
  const targets = await allTargets(context);
  let suspect: string | null = null;
  await context.confirm(options, async (snapshot) => {
    if (snapshot === context.snapshot) await requestAll(context, snapshot, targets);
    // The page that showed a breach comes first when it is confirmed.
    for (const target of new Set(suspect === null ? targets : [suspect, ...targets])) {
      const asked = await requestPage(snapshot, target);
      const finding = asked === null ? null : await oracle(asked, snapshot);
      if (!(finding instanceof Violation)) continue;
      suspect = target;
      throw finding;
    }
  });
}
