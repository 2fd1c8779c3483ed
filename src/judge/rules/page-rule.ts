import { Undecided } from '../../core/undecided.ts';
import type { ListPlace } from '../../provider/link.ts';
import type { ListAnswer } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Resource, Target } from '../../target/target.ts';
import type { CheckContext, Judge } from '../context.ts';
import { type ListFacts, listFacts } from '../list-facts.ts';
import { allTargets, requestAll, requestPage } from '../probes/page-targets.ts';
import { appliedPageSize, countedPages, type RequestedPage } from '../probes/requested-page.ts';
import { Violation } from '../violation.ts';
import { judgeCases, type RuleFinding } from './rule.ts';

/** What an oracle may know besides a page and its request. */
export interface PageFacts {
  /** The address of the list, to read links. */
  readonly place: ListPlace;
  readonly resource: Resource;
  readonly target: Target;
  readonly list: ListFacts;
  /** The answer to `$count=true` alone. */
  readonly counted: ListAnswer;
  /** The page size in force; null if it is not known. */
  readonly size: number | null;
}

type Gather<Fact> = (requested: RequestedPage, snapshot: Snapshot) => Fact | Promise<Fact>;

/** May send requests, which other checks send as well. */
const GATHER: { readonly [Name in keyof PageFacts]: Gather<PageFacts[Name]> } = {
  place: (_asked, { client }) => client.place,
  resource: (_asked, { client }) => client.resource,
  target: (_asked, { client }) => client.target,
  list: (_asked, snapshot) => listFacts(snapshot),
  counted: (_asked, snapshot) => snapshot.first({ count: true }),
  size: appliedPageSize,
};

/** A rule for single pages, applied to every page of the run, also to pages that other checks request. */
export interface PageOracle<Name extends keyof PageFacts = keyof PageFacts> {
  /** Whether the rule applies only while the data does not change. */
  readonly atRest: boolean;
  /** Whether the rule compares records, which may be replaced while their number stays the same. */
  readonly comparesRecords?: boolean;
  /** Whether the rule also holds for a provider that does not know names with %24. */
  readonly holdsForEncodedNames?: boolean;
  /** Whether the rule holds for any query. */
  readonly holdsForAnyQuery?: boolean;
  /** What the oracle needs to know besides the page; nothing unless given. */
  readonly facts?: readonly Name[];
  readonly decide: (requested: RequestedPage, facts: Pick<PageFacts, Name>) => RuleFinding;
}

/** A rule for single pages. */
interface PageRule<Name extends keyof PageFacts> extends Omit<PageOracle<Name>, 'decide'> {
  readonly oracle: PageOracle<Name>['decide'];
  /**
   * Pages that show a breach of this rule, in the order in which to judge them, null for an answer that is no page;
   * counted pages unless given.
   */
  readonly probes?: (context: CheckContext, snapshot: Snapshot) => AsyncIterable<RequestedPage | null>;
  /** Tests more than single pages show, instead of judging pages of the probes. */
  readonly test?: Judge;
}

/** Gathers what an oracle needs to know, and applies it to one page, if there is one. */
export async function judgePage<Name extends keyof PageFacts>(
  { facts = [], decide }: PageOracle<Name>,
  requested: RequestedPage | null,
  snapshot: Snapshot,
): Promise<RuleFinding> {
  if (requested === null) return null;
  const known: Partial<Record<Name, unknown>> = {};
  for (const name of facts) known[name] = await GATHER[name](requested, snapshot);
  return decide(requested, known as Pick<PageFacts, Name>);
}

/** The breach that a page shows; null if it shows none. */
export async function findBreach(
  oracle: PageOracle,
  requested: RequestedPage | null,
  snapshot: Snapshot,
): Promise<Violation | null> {
  const finding = await judgePage(oracle, requested, snapshot);
  return finding instanceof Violation ? finding : null;
}

/**
 * Tests a rule by applying its oracle to the pages of its probes, and then to every page that the run requests without
 * following a link.
 */
export function pageRule<Name extends keyof PageFacts = never>({
  oracle,
  probes = countedPages,
  test,
  ...scope
}: PageRule<Name>): { readonly judge: Judge; readonly oracle: PageOracle } {
  const { atRest } = scope;
  const pageOracle: PageOracle<Name> = { ...scope, decide: oracle };
  const judgeProbes: Judge = (context) =>
    judgeCases<RequestedPage | null>(
      context,
      {
        atRest,
        probes,
        // All pages of the probes are judged in any case, but a check that is judged again needs few requests.
        repeat: async (seen, snapshot) => {
          if (seen === null || !atRest || !context.isSecondAttempt) return null;
          const requested = await requestPage(context, snapshot, seen.page.target);
          return requested && { ...requested, position: seen.position };
        },
      },
      (requested, snapshot) => judgePage(pageOracle, requested, snapshot),
    );
  const judge: Judge = async (context) => {
    await (test ?? judgeProbes)(context);
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
  await judgeCases<RequestedPage | null>(
    context,
    {
      atRest: oracle.atRest,
      probes: async function* (_context, snapshot) {
        if (snapshot === context.snapshot) await requestAll(context, snapshot, targets);
        for (const target of targets) yield requestPage(context, snapshot, target);
      },
      repeat: async (seen, snapshot) => seen && requestPage(context, snapshot, seen.page.target),
    },
    async (requested, snapshot) => {
      const finding = await judgePage(oracle, requested, snapshot);
      const isLimited = finding instanceof Undecided && finding.cause.kind === 'limit';
      return isLimited || finding instanceof Violation ? finding : null;
    },
  );
}
