import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { type Blocked, Undecided } from '../../core/undecided.ts';
import type { ListAddress } from '../../provider/link.ts';
import type { ListAnswer } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Resource, Target } from '../../target/target.ts';
import type { CheckContext, ConfirmOptions, Judge } from '../context.ts';
import { errorOf } from '../outcomes.ts';
import { type ListFacts, listFacts, misplacement } from '../probes/list-facts.ts';
import { countedPages } from '../probes/list-traversals.ts';
import { allTargets, requestAll, requestPage } from '../probes/page-targets.ts';
import { appliedPageSize, hasMeaninglessSize, type RequestedPage } from '../probes/requested-page.ts';
import { Violation } from '../violation.ts';

/**
 * What an oracle says of one case: `kept` if a breach would have shown, a Violation, the reason that prevents a
 * decision, or null if the rule does not apply to the case.
 */
export type RuleFinding = 'kept' | Violation | Undecided | null;

/** The cases in which a breach of a rule would show, and how they are judged. */
interface Cases<Case> extends ConfirmOptions {
  /** Requests the cases, in the order in which to judge them. Throws Undecided if there is nothing to judge. */
  readonly probes: (context: CheckContext) => AsyncIterable<Case>;
  /**
   * Requests again the case that showed a breach. Later snapshots judge it first, since the others may be too many to request
   * again. Null if it gives no case now.
   */
  readonly repeat?: (seen: Case, context: CheckContext) => Promise<Case | null>;
  /** Why the cases are not enough for a pass; null if they are. Called if the oracle decided all of them. */
  readonly obstacle?: (context: CheckContext) => Promise<Undecided | null>;
  /**
   * Finds another proof of a breach that was seen and did not show again, or another explanation of it; null if there
   * is neither.
   */
  readonly otherProof?: (seen: Case, context: CheckContext) => Promise<Violation | Undecided | null>;
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
  decide: (one: Case, context: CheckContext) => RuleFinding | Promise<RuleFinding>,
): Promise<void> {
  const broken: Case[] = [];
  async function* cases(attempt: CheckContext): AsyncGenerator<Case> {
    const seen = broken.at(-1);
    const again = seen === undefined ? null : ((await repeat?.(seen, attempt)) ?? null);
    if (again !== null) yield again;
    yield* probes(attempt);
  }
  const judgeOn = async (attempt: CheckContext): Promise<void> => {
    let blocked: Undecided | null = null;
    for await (const one of cases(attempt)) {
      const finding = await decide(one, attempt);
      if (finding === 'kept') context.exercised();
      else if (finding instanceof Violation) {
        broken.push(one);
        throw finding;
      } else blocked ??= finding;
    }
    blocked ??= (await obstacle?.(attempt)) ?? null;
    if (blocked !== null) throw blocked;
  };
  const open = await errorOf(() => context.confirm(options, judgeOn));
  if (open !== null && !(open instanceof Undecided)) throw open;
  const [seen] = broken;
  const other = seen === undefined ? null : ((await otherProof?.(seen, context)) ?? null);
  if (other instanceof Violation || (other !== null && open !== null)) throw other;
  if (open !== null) throw open;
}

/** What an oracle may know besides a page and its request. */
export interface PageFacts {
  /** The address of the list, to read links. */
  readonly address: ListAddress;
  readonly resource: Resource;
  readonly target: Target;
  /** Whether a link of the run leads to the path of the list as the target file spells it. */
  readonly isPathGiven: boolean;
  readonly list: ListFacts;
  /** The answer to `$count=true` alone. */
  readonly counted: ListAnswer;
  /** The answer to `$count=true&$pagesize=500`. */
  readonly largest: ListAnswer;
  /** The page size in force; null if it is not known. */
  readonly size: number | null;
  /** Why the page is not judged, if it answers another $skip than that of its request; null otherwise. */
  readonly misplaced: Blocked | null;
}

type Gather<Fact> = (requested: RequestedPage, snapshot: Snapshot) => Fact | Promise<Fact>;

/** May send requests, which other checks send as well. */
const GATHER: { readonly [Name in keyof PageFacts]: Gather<PageFacts[Name]> } = {
  address: (_asked, { client }) => client.address,
  resource: (_asked, { client }) => client.resource,
  target: (_asked, { client }) => client.target,
  isPathGiven: (_asked, { client }) => client.history.links.hasGiven,
  list: (_asked, snapshot) => listFacts(snapshot),
  counted: (_asked, snapshot) => snapshot.first({ count: true }),
  largest: (_asked, snapshot) => snapshot.first({ count: true, pageSize: MAX_PAGE_SIZE }),
  size: appliedPageSize,
  misplaced: ({ page }, snapshot) => misplacement(page, snapshot),
};

/** A rule for single pages, applied to every page of the run, also to pages that other checks request. */
export interface PageRule<Name extends keyof PageFacts = keyof PageFacts> {
  /** Whether the rule applies only while the data does not change. */
  readonly atRest: boolean;
  /** Whether the rule compares records, which may be replaced while their number stays the same. */
  readonly comparesRecords?: boolean;
  /** Whether the rule also holds for a provider that does not know names with %24. */
  readonly holdsForEncodedNames?: boolean;
  /** Whether the rule holds for any query, also for one whose $pagesize means nothing. */
  readonly holdsForAnyQuery?: boolean;
  /** What the oracle needs to know besides the page; nothing unless given. */
  readonly facts?: readonly Name[];
  /** Says whether a page keeps the rule. Pure: it neither sends a request nor waits for one. */
  readonly oracle: (requested: RequestedPage, facts: Pick<PageFacts, Name>) => RuleFinding;
}

/** A rule for single pages, and how it is tested. */
interface PageRuleTest<Name extends keyof PageFacts> extends PageRule<Name> {
  /**
   * Pages that show a breach of this rule, in the order in which to judge them, null for an answer that is no page;
   * counted pages unless given.
   */
  readonly probes?: (context: CheckContext) => AsyncIterable<RequestedPage | null>;
  /** Tests more than single pages show, instead of judging pages of the probes. */
  readonly test?: Judge;
}

/** Gathers what an oracle needs to know, and applies it to one page, if there is one. */
export async function judgePage<Name extends keyof PageFacts>(
  { facts = [], holdsForAnyQuery, oracle }: PageRule<Name>,
  requested: RequestedPage | null,
  snapshot: Snapshot,
): Promise<RuleFinding> {
  if (requested === null || (holdsForAnyQuery !== true && hasMeaninglessSize(requested))) return null;
  const known: Partial<Record<Name, unknown>> = {};
  for (const name of facts) known[name] = await GATHER[name](requested, snapshot);
  return oracle(requested, known as Pick<PageFacts, Name>);
}

/** The breach that a page shows; null if it shows none. */
export async function findBreach(
  rule: PageRule,
  requested: RequestedPage | null,
  snapshot: Snapshot,
): Promise<Violation | null> {
  const finding = await judgePage(rule, requested, snapshot);
  return finding instanceof Violation ? finding : null;
}

/**
 * Tests a rule by applying its oracle to the pages of its probes, and then to every page that the run requests without
 * following a link.
 */
export function pageRule<Name extends keyof PageFacts = never>({
  probes = countedPages,
  test,
  ...rule
}: PageRuleTest<Name>): { readonly judge: Judge; readonly pageRule: PageRule } {
  const { atRest } = rule;
  const judgeProbes: Judge = (context) =>
    judgeCases<RequestedPage | null>(
      context,
      {
        atRest,
        probes,
        // All pages of the probes are judged in any case, but a check that is judged again needs few requests.
        repeat: async (seen, attempt) => {
          if (seen === null || !atRest || !attempt.isSecondAttempt) return null;
          const requested = await requestPage(attempt, seen.page.target);
          return requested && { ...requested, position: seen.position };
        },
      },
      (requested, { snapshot }) => judgePage(rule, requested, snapshot),
    );
  const judge: Judge = async (context) => {
    await (test ?? judgeProbes)(context);
    await judgeRequestedPages(context, rule);
  };
  return { judge, pageRule: rule };
}

/**
 * Applies a rule to the pages that any check requests without following a link: first pages of all sizes, pages of
 * sizes beyond the maximum, pages by their parameters, the ends of the list, uncounted pages. Sends no requests of its
 * own. Does nothing in smoke, which requests few such pages. Leaves comparisons of names with %24 to
 * page-size/encoded-name. Confirms a breach on fresh snapshots; every-page.ts judges the pages as they were answered, after all
 * checks. Throws as `context.confirm` does.
 *
 * @param rule what its oracle cannot decide is left out, unless a limit of the run is the reason
 */
export async function judgeRequestedPages(context: CheckContext, rule: PageRule): Promise<void> {
  if (context.options.suite === 'smoke') return;
  const targets = await allTargets(context);
  await judgeCases<RequestedPage | null>(
    context,
    {
      atRest: rule.atRest,
      probes: async function* (attempt) {
        if (attempt.snapshot === attempt.sharedSnapshot) await requestAll(attempt, targets);
        for (const target of targets) yield requestPage(attempt, target);
      },
      repeat: async (seen, attempt) => seen && requestPage(attempt, seen.page.target),
    },
    async (requested, { snapshot }) => {
      const finding = await judgePage(rule, requested, snapshot);
      const isLimited = finding instanceof Undecided && finding.cause.kind === 'limit';
      return isLimited || finding instanceof Violation ? finding : null;
    },
  );
}
