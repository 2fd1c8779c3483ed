import type { Cause } from '../../core/cause.ts';
import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { Undecided } from '../../core/undecided.ts';
import { sameIdentities } from '../../provider/identity.ts';
import type { ListClient } from '../../provider/list-client.ts';
import type { Page } from '../../provider/page.ts';
import { connectionFor, type Snapshot } from '../../provider/snapshot.ts';
import type { Check, JudgeInput } from '../check.ts';
import { attemptUntilSeenAgain } from '../confirmation.ts';
import type { CheckContext } from '../context.ts';
import { orNull } from '../outcomes.ts';
import { countProvenRecords, listFacts, mainTraversal } from '../probes/list-facts.ts';
import { type RequestedPage, requestedCount, requestedPageOf } from '../probes/requested-page.ts';
import { endForSecondClient, type SecondClientPages, secondClientPages } from '../probes/second-client.ts';
import { withFurther } from '../proofs/data-at-rest.ts';
import { Violation } from '../violation.ts';
import { findBreach, judgeCases, judgePage, type PageRule } from './rule.ts';

/** Exchanges that a violation names at most. */
const MAX_EXCHANGES = 4;

/** Causes for which a breach that was not confirmed is dropped: it did not show again, or something else explains it. */
const DROPPED: readonly Cause['kind'][] = ['changing', 'intermittent', 'blocked', 'data'];
/** Pages that are requested again at most if the data changed. */
const MAX_SUSPECTS = 4;

/**
 * Applies the rule of a requirement to every page of the run, no matter which check requested it and how often: a page
 * that was requested for another reason may break the rule. Linked pages, and those of sequences, are judged together
 * with the pages before them. Also judges some pages of the second client. Throws Violation with the share
 * of pages that break the rule; Undecided for a single one that does not show the breach again.
 */
export async function expectEveryPageKept(context: CheckContext, rule: PageRule): Promise<void> {
  const { list } = context;
  if (rule.comparesRecords === true)
    return expectSuspectsKept(context, rule, [...(await pagesOfOthers(context)), ...list.pages.usual]);
  // A rule about data at rest can be judged only if all pages are of the same data.
  const { snapshot } = context;
  if (rule.atRest && !(await areAtRest(list.pages.usual, snapshot)))
    return expectSuspectsKept(context, rule, list.pages.usual);
  const ask = async (target: string): Promise<Page | null> => {
    const answer = await list.authorized(target, { connection: connectionFor(target) });
    return answer.kind === 'page' ? answer : null;
  };
  try {
    await expectPagesKept(rule, { pages: pagesFor(rule, list), snapshot, ask, by: '' });
    await expectKeptForSecondClient(context, rule);
  } catch (error) {
    // A page without a count does not show that the data changed before it.
    if (!(error instanceof Violation) || !rule.atRest || (await isStillAtRest(snapshot, ask))) throw error;
    await expectSuspectsKept(context, rule, list.pages.usual);
  }
}

function pagesFor(
  { holdsForEncodedNames = false, holdsForAnyQuery = false }: PageRule,
  { pages }: ListClient,
): readonly Page[] {
  return [
    ...pages.usual,
    ...(holdsForEncodedNames ? pages.encoded : []),
    ...(holdsForAnyQuery ? pages.others : []),
  ];
}

function requestedFor({ holdsForAnyQuery = false }: PageRule, page: Page): RequestedPage | null {
  return requestedPageOf(page, { hasAnySkip: holdsForAnyQuery });
}

/** Whether a page of the run, no matter which check requested it, breaks the rule of a check. Sends what its check sends anyway. */
export async function isBrokenByPages(
  { pageRule: rule }: Pick<Check, 'pageRule'>,
  { list, snapshots }: Pick<JudgeInput, 'list' | 'snapshots'>,
): Promise<boolean> {
  // Records may be replaced between two pages.
  if (rule === undefined || rule.comparesRecords === true) return false;
  for (const page of pagesFor(rule, list))
    if ((await orNull(findBreach(rule, requestedFor(rule, page), snapshots.at(0)))) !== null) return true;
  return false;
}

/**
 * Requests the first few pages again that broke a rule about data at rest although the data may have changed since,
 * with the pages that they are compared with. Throws Violation; drops a breach that does not show again.
 */
async function expectSuspectsKept(
  context: CheckContext,
  rule: PageRule,
  pages: readonly Page[],
): Promise<void> {
  const suspects = new Set<string>();
  for (const page of pages)
    if (
      suspects.size < MAX_SUSPECTS &&
      (await findBreach(rule, requestedPageOf(page), context.snapshot)) !== null
    )
      suspects.add(page.target);
  if (suspects.size === 0) return;
  const suspectedPages = async function* ({ snapshot }: CheckContext) {
    for (const target of suspects) yield requestedPageOf(await snapshot.at(target));
  };
  try {
    await judgeCases(context, { atRest: true, probes: suspectedPages }, (requested, { snapshot }) =>
      findBreach(rule, requested, snapshot),
    );
  } catch (error) {
    const isDropped = error instanceof Undecided && DROPPED.includes(error.cause.kind);
    if (!isDropped) throw error;
  }
}

/** Pages of the first snapshot, linked ones included, without those of the traversal that they are compared with. */
async function pagesOfOthers({ snapshot }: CheckContext): Promise<readonly Page[]> {
  const main = await mainTraversal(snapshot);
  const known = new Set(main.steps.map(({ page }) => page.target));
  return snapshot.pages().filter(({ target }) => !known.has(target));
}

/** Applies a rule to pages of the second client. If it has a list of its own, that must be at rest, too. */
async function expectKeptForSecondClient(context: CheckContext, rule: PageRule): Promise<void> {
  const second = await secondClientPages(context);
  const { pages, snapshot, ask } = second;
  const isOtherList = snapshot !== context.snapshot;
  if (isOtherList && rule.atRest && !(await areAtRest(pages, snapshot))) return;
  const by = 'with a token of the second provider: ';
  try {
    await expectPagesKept(rule, { ...second, by });
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    // A list that ends before its count says is for count/equals-records: that explains pages with too few records.
    if ((await endForSecondClient(context))?.kind === 'short')
      return rule.atRest
        ? undefined
        : expectPagesKept(rule, { ...second, pages: pages.filter(isFilled), by });
    if (!isOtherList || !rule.atRest || (await isStillAtRest(snapshot, ask))) throw error;
  }
}

/** Whether a page holds as many records as its request asks for. */
function isFilled(page: Page): boolean {
  return page.itemCount >= (requestedPageOf(page)?.size ?? MAX_PAGE_SIZE);
}

/** @param requested.by who requested the pages, to begin a message */
async function expectPagesKept(
  rule: PageRule,
  requested: Pick<SecondClientPages, 'pages' | 'snapshot' | 'ask'> & { readonly by: string },
): Promise<void> {
  const { pages, snapshot, ask, by } = requested;
  let judged = 0;
  const broken: Page[] = [];
  const breachOn = async (page: Page): Promise<Violation | null> => {
    const finding = await judgePage(rule, requestedFor(rule, page), snapshot);
    if (finding === 'kept' || finding instanceof Violation) judged++;
    if (!(finding instanceof Violation)) return null;
    broken.push(page);
    return finding;
  };
  let violation: Violation | null = null;
  for (const page of pages) {
    const breach = await breachOn(page);
    violation ??= breach;
  }
  const [first] = broken;
  if (first === undefined || violation === null) return;
  if (broken.length === 1) {
    const askAgain = async (): Promise<Violation | null> => {
      const page = await ask(first.target);
      return page === null ? null : breachOn(page);
    };
    await attemptUntilSeenAgain(askAgain, { attempts: judged, message: violation.message });
  }
  const after = broken.length === judged ? '' : ` (${broken.length} of ${judged} answers of this run)`;
  const others = broken.slice(1, MAX_EXCHANGES).map(({ exchange }) => exchange);
  throw violation.withWords({ before: by, after }, (exchanges) => [...new Set([...exchanges, ...others])]);
}

/** Requests for the last page, one of which must give its records: a breach may be that some answers give others. */
const END_REQUESTS = 3;

/**
 * Whether new requests still give the count of the whole list and its last page, and no record follows that the traversal did not
 * give: count, or a page, may come from a cache.
 */
async function isStillAtRest(snapshot: Snapshot, ask: SecondClientPages['ask']): Promise<boolean> {
  const { main, records } = await listFacts(snapshot);
  const now = await ask(snapshot.targetOf({ count: true }));
  if (now === null || records === null || now.count !== records) return false;
  const fresh = await orNull(ask(withFurther(now)));
  if (fresh !== null && fresh.count !== records) return false;
  const beyond = await orNull(ask(snapshot.targetOf({ count: true, pageSize: 1, skip: records })));
  if (beyond !== null && main.reached.countMissing(beyond.identities) > 0) return false;
  const last = main.steps.at(-1)?.page;
  for (let request = 0; last !== undefined && request < END_REQUESTS; request++) {
    const end = await orNull(ask(withFurther({ target: last.target, exchange: now.exchange }, request)));
    if (end === null || sameIdentities(end.identities, last.identities)) return true;
  }
  return last === undefined;
}

/** Whether every page with a count has the count of the whole list that a snapshot shows. */
async function areAtRest(pages: readonly Page[], snapshot: Snapshot): Promise<boolean> {
  const records = await countProvenRecords(snapshot);
  if (records === null) return false;
  return pages.map(requestedCount).every((count) => count === undefined || count === records);
}
