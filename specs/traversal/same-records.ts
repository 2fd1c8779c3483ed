import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { recordCount } from '../../src/core/number-format.ts';
import { Blocked, type Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { wholeTraversals } from '../../src/judge/probes/list-traversals.ts';
import type { RequestedPage } from '../../src/judge/probes/requested-page.ts';
import { causeOfEmptyEnd, obstaclesOf } from '../../src/judge/probes/traversal-completeness.ts';
import { mayHoldDuplicates } from '../../src/judge/proofs/duplicate-records.ts';
import { expectNoneLost } from '../../src/judge/proofs/order-boundary.ts';
import { pageRule } from '../../src/judge/rules/rule.ts';
import { findFirstFault, fullestOf, recordsBefore, traversalName } from '../../src/judge/traversals.ts';
import { type Breach, Violation, violationOn } from '../../src/judge/violation.ts';
import { identityOf } from '../../src/provider/identity.ts';
import type { Step, Traversal } from '../../src/provider/traversal.ts';

/** Pages of the main traversal that are named, and requested again, where another page gives a record that it lacks. */
const COMPARED_PAGES = 3;

/** The first steps of a traversal that give records from a position on: what they give now shows whether the data changed. */
function pagesAt({ steps }: Traversal, skip: number, itemCount: number): readonly Step[] {
  return steps
    .filter((step) => step.recordsSoFar > skip && recordsBefore(step) < skip + itemCount)
    .slice(0, COMPARED_PAGES);
}

export const traversalSameRecords = requirement({
  id: 'traversal/same-records',
  clause: ['4.3.2', '4.3.3'],
  rule: 'Traversals with different page sizes reach the same set of records.',
  needs: MORE_THAN_ONE_PAGE,
  tested: `Compares the sets of identifiers of traversals with different page sizes, if the data was at rest before and
    after.`,
  breach: 'A record appears with one page size and not with another.',
  causes: `An unstable order. Border rows are left out (an exclusive bound, an offset that is one too high). Filters or
    de-duplication run after the limit. The list is cut off after a fixed number of pages.`,
  fix: `Use one query and one order for all page sizes, count $skip in records, and apply paging last, before the
    projection only.`,
  // A page holds no record that the traversal without $pagesize, which gave the whole list, does not reach.
  testLater: [expectNoneLost],
  ...pageRule({
    atRest: true,
    comparesRecords: true,
    facts: ['list'],
    oracle: (requested, { list: { main, records } }) => {
      const { page, pageSize, skip } = requested;
      const { identities, itemCount, badItem, target } = page;
      // list/items reports an identifier of another type.
      if (badItem !== null || identities.length !== itemCount || identities.includes(0n)) return null;
      // If a page reaches beyond the list, that traversal does not show where the list ends.
      if (records === null || skip + itemCount > records) return null;
      const unknown = main.reached.countMissing(identities);
      if (unknown === 0 && itemCount > 0) return 'kept';
      if (unknown === 0)
        return records !== null && endsBefore(requested, records) ? endedEarly(requested, main) : null;
      return violationOn(page, {
        message:
          `GET ${target} gives ${unknown} of ${recordCount(itemCount)} that the traversal without $pagesize never ` +
          'reaches; every page size reaches the same records',
        expected: 'records that every traversal reaches',
        actual: `${unknown} other records`,
        counterexample: { request: target, pageSize },
        further: pagesAt(main, skip, itemCount),
      });
    },
    test: async (context) => {
      await context.confirm({ atRest: true }, async (attempt) => {
        const traversals = await wholeTraversals(attempt);
        const obstacles = await obstaclesOf(attempt.snapshot, traversals);
        // If pages hold too few records, links may skip the records that were left out.
        const causeOf = (traversal: Traversal, index: number): Undecided | null =>
          obstacles[index] ?? findFirstFault(traversal) ?? causeOfEmptyEnd(traversal, traversals);
        const complete = traversals.filter((traversal, index) => causeOf(traversal, index) === null);
        const obstacle = traversals.map(causeOf).find((cause) => cause !== null) ?? null;
        const isPaged = complete.some((traversal) => traversal.steps.length > 1);
        const fullest = fullestOf(complete);
        if (fullest === null || !isPaged || complete.length < 2) {
          if (obstacle !== null) throw obstacle;
          return;
        }
        const breaches: Breach[] = [];
        for (const traversal of complete) {
          if (traversal === fullest) continue;
          context.exercised();
          const difference = await differenceOf(attempt, fullest, traversal);
          if (difference === null) continue;
          if (traversal.steps.some(mayHoldDuplicates))
            throw new Blocked(
              'traversal/no-duplicates',
              `${traversalName(traversal)} gives some records twice and does not reach others`,
            );
          breaches.push(difference);
        }
        if (breaches.length > 0) throw new Violation(breaches);
        if (obstacle !== null) throw obstacle;
      });
    },
  }),
});

/** Whether an empty page counts no record at its place, where the whole list has some. */
function endsBefore({ page, skip, isCounted, size }: RequestedPage, records: number): boolean {
  const isUsual = isCounted === true && size !== null;
  return (
    isUsual && page.itemCount === 0 && skip < records && typeof page.count === 'number' && page.count <= skip
  );
}

/** The breach of a page size with which the list ends before its end. */
function endedEarly({ page, pageSize, skip }: RequestedPage, main: Traversal): Violation {
  return violationOn(page, {
    message:
      `GET ${page.target} gives no records and counts ${page.count}, although the traversal without $pagesize reaches ` +
      `${recordCount(main.reached.size)}; every page size reaches the same records`,
    expected: recordCount(main.reached.size - skip),
    actual: 'no records',
    counterexample: { request: page.target, pageSize },
    further: pagesAt(main, skip, 1),
  });
}

/** The breach of a traversal that reaches other records than the fullest one; null if both reach the same. */
async function differenceOf(
  { list, snapshot }: CheckContext,
  fullest: Traversal,
  traversal: Traversal,
): Promise<Breach | null> {
  const missing = fullest.reached.beyond(traversal.reached);
  const further = traversal.reached.beyond(fullest.reached);
  if (missing.length === 0 && further.length === 0) return null;
  const lost = findRecord(fullest, missing[0]);
  const found = findRecord(traversal, further[0]);
  // These pages are requested again: data that changes back and forth does not give all of them.
  const steps = [
    lost?.step,
    lost && stepAt(traversal, lost.position),
    found?.step,
    found && stepAt(fullest, found.position),
    traversal.steps.at(-1),
  ].filter((step) => step != null);
  const nameIn = async (record: FoundRecord | null, identity = 0n): Promise<string> => {
    if (record === null) return '';
    const { page } = record.step;
    const exchange = await snapshot.exchange(page.target, { after: page.exchange });
    const named = list.records.identifiersIn(exchange).find(({ key }) => identityOf(key) === identity);
    return named === undefined ? '' : ` (such as ${named.name})`;
  };
  const parts = [
    ...(missing.length > 0
      ? [
          `misses ${recordCount(missing.length)}${await nameIn(lost, missing[0])} ` +
            `that ${traversalName(fullest)} reaches`,
        ]
      : []),
    ...(further.length > 0
      ? [`reaches ${further.length}${await nameIn(found, further[0])} that ${traversalName(fullest)} misses`]
      : []),
  ];
  return {
    key: `${traversal.pageSize} ${missing.slice(0, 1000).join()} ${further.slice(0, 1000).join()}`,
    message: `${traversalName(traversal)} ${parts.join(' and ')}; every page size reaches the same records`,
    expected: fullest.reached.size,
    actual: traversal.reached.size,
    counterexample: { pageSize: traversal.pageSize, against: fullest.pageSize, list: list.resource.name },
    exchanges: [...new Set(steps)].map((step) => step.page.exchange),
    comparesTwo: true,
  };
}

/** A record in a traversal: the page that gives it, and how many records are given before it. */
interface FoundRecord {
  readonly step: Step;
  readonly position: number;
}

function findRecord(traversal: Traversal, identity: bigint | undefined): FoundRecord | null {
  if (identity === undefined) return null;
  for (const step of traversal.steps) {
    const index = step.page.identities.indexOf(identity);
    if (index >= 0) return { step, position: recordsBefore(step) + index };
  }
  return null;
}

/** The page of a traversal that gives the record at a position, or its last one. */
function stepAt({ steps }: Traversal, position: number): Step | undefined {
  return steps.find(({ recordsSoFar }) => recordsSoFar > position) ?? steps.at(-1);
}
