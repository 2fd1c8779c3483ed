import { Undecided } from '../../core/undecided.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { allTargets, requestAll, requestPage } from '../probes/page-targets.ts';
import { countedPages, type RequestedPage } from '../probes/requested-page.ts';
import { Violation } from '../violation.ts';
import { type PageFacts, pageFacts } from './page-facts.ts';
import { judgeCases, type RuleFinding, type RuleTest } from './rule.ts';

/** A rule for single pages, applied to every page of the run, also to pages that other checks request. */
export interface PageOracle<Name extends keyof PageFacts = keyof PageFacts> {
  /** Whether the rule speaks of data at rest. */
  readonly atRest: boolean;
  /** Whether the rule compares records, which may be replaced while their number stays the same. */
  readonly comparesRecords?: boolean;
  /** Whether the rule also holds for a provider that does not know names with %24. */
  readonly holdsForEncodedNames?: boolean;
  /** Whether the rule holds for whatever query. */
  readonly holdsForAnyQuery?: boolean;
  /** What the oracle needs to know besides the page; nothing unless given. */
  readonly facts?: readonly Name[];
  readonly decide: (requested: RequestedPage, facts: Pick<PageFacts, Name>) => RuleFinding;
}

/** A rule that speaks of single pages. */
export interface PageRule<Name extends keyof PageFacts> extends Omit<PageOracle<Name>, 'decide'> {
  readonly oracle: PageOracle<Name>['decide'];
  /**
   * Pages that show a breach of this rule, in the order in which to judge them, null for an answer that is no page;
   * counted pages unless given.
   */
  readonly probes?: (context: CheckContext, snapshot: Snapshot) => AsyncIterable<RequestedPage | null>;
}

/** Gathers what an oracle needs to know, and applies it to one page, if there is one. */
export async function judgePage(
  { facts = [], decide }: PageOracle,
  requested: RequestedPage | null,
  snapshot: Snapshot,
): Promise<RuleFinding> {
  return requested === null ? null : decide(requested, await pageFacts(facts, requested, snapshot));
}

/**
 * Tests a rule by applying its oracle to the pages of its probes, and then to every page that the run requests without
 * following a link.
 */
export function pageRule<Name extends keyof PageFacts = never>({
  oracle,
  probes = countedPages,
  ...scope
}: PageRule<Name>): Pick<RuleTest, 'judge'> & { readonly oracle: PageOracle } {
  const { atRest, facts = [] } = scope;
  const pageOracle: PageOracle<Name> = { ...scope, decide: oracle };
  const judge = async (context: CheckContext): Promise<void> => {
    let suspect: RequestedPage | null = null;
    async function* pages(snapshot: Snapshot): AsyncGenerator<RequestedPage | null> {
      // If a check is judged again, the page that showed a breach comes first.
      if (atRest && suspect !== null && context.isSecondAttempt) {
        const requested = await requestPage(context, snapshot, suspect.page.target);
        yield requested && { ...requested, position: suspect.position };
      }
      yield* probes(context, snapshot);
    }
    await judgeCases<readonly [RequestedPage, Pick<PageFacts, Name>]>(context, {
      atRest,
      probes: async function* (_context, snapshot) {
        for await (const requested of pages(snapshot))
          if (requested !== null) yield [requested, await pageFacts(facts, requested, snapshot)];
      },
      oracle: ([requested, known]) => {
        const finding = oracle(requested, known);
        if (finding instanceof Violation) suspect = requested;
        return finding;
      },
    });
    await judgeEveryPage(context, pageOracle);
  };
  return { judge, oracle: pageOracle };
}

/**
 * Applies a rule to every page that any check requests without following a link: first pages of all sizes, pages of
 * sizes beyond the maximum, pages by their parameters, the ends of the list, uncounted pages. Sends no requests of its
 * own. Does nothing in smoke, which requests few such pages. Leaves comparisons of names with %24 to
 * page-size/encoded-name. Throws as `context.confirm` does.
 *
 * @param oracle what it cannot decide is left out, unless a limit of the run is the reason
 */
export async function judgeEveryPage(context: CheckContext, oracle: PageOracle): Promise<void> {
  if (context.options.suite === 'smoke') return;
  const targets = await allTargets(context);
  let suspect: string | null = null;
  await context.confirm({ atRest: oracle.atRest }, async (snapshot) => {
    let limited: Undecided | null = null;
    if (snapshot === context.snapshot) await requestAll(context, snapshot, targets);
    // The page that showed a breach comes first when it is confirmed.
    for (const target of new Set(suspect === null ? targets : [suspect, ...targets])) {
      const finding = await judgePage(oracle, await requestPage(context, snapshot, target), snapshot);
      if (finding instanceof Undecided && finding.cause.kind === 'limit') limited ??= finding;
      if (!(finding instanceof Violation)) continue;
      suspect = target;
      throw finding;
    }
    if (limited !== null) throw limited;
  });
}
