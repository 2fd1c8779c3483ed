import { MORE_THAN_ONE_RECORD } from '../../src/core/cause.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { traversalsMainFirst } from '../../src/judge/probes/list-traversals.ts';
import { causeOfMissingIdentifier } from '../../src/judge/probes/traversal-completeness.ts';
import {
  type DuplicateRecord,
  expectIdentifying,
  findDuplicate,
} from '../../src/judge/proofs/duplicate-records.ts';
import { expectNoDisplacedPages } from '../../src/judge/proofs/misplaced-pages.ts';
import { expectNoFaultAtBoundaries } from '../../src/judge/proofs/order-boundary.ts';
import { expectStableOrder, findUnstableOrder } from '../../src/judge/proofs/unstable-order.ts';
import { type PageRule, type RuleFinding, ruleTest } from '../../src/judge/rules/rule.ts';
import { secondClientRule } from '../../src/judge/rules/second-client-rule.ts';
import { findFirstFault, stepsUpTo, type TraversalFault, traversalName } from '../../src/judge/traversals.ts';
import { Violation, violationOn } from '../../src/judge/violation.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';
import type { Traversal } from '../../src/provider/traversal.ts';

/**
 * Whether a page that was requested by its parameters gives each identifier once. Identifiers with one hash
 * count as equal.
 */
const givesEachIdentifierOnce: PageRule['oracle'] = ({ page }) => {
  const { identities } = page;
  const known = identities.filter((identity) => identity !== 0n);
  if (new Set(known).size === known.length) return 'kept';
  return violationOn(page, {
    key: 'twice on a page',
    message: `the answer to ${page.target} gives an identifier twice; no identifier appears twice`,
    expected: 'every identifier once',
    actual: `${known.length} records with ${new Set(known).size} identifiers`,
  });
};

export const traversalNoDuplicates = requirement({
  id: 'traversal/no-duplicates',
  clause: ['2.2', '4.3.2'],
  rule: 'No identifier appears twice in one traversal of the list.',
  needs: MORE_THAN_ONE_RECORD,
  tested: `Collects hashes of the identifiers of each traversal. If two are equal, reads both pages again and compares the
    identifiers themselves. Repeats the traversal before it reports a duplicate, so that records inserted meanwhile
    do not count against the provider. If a duplicate does not show again, traverses the list up to eight times: a record
    that comes twice while another is left out, with the same count and the same records before and after, shows an
    unstable order, unless records were edited meanwhile. A request of the run that was repeated and gave other records is
    repeated eight times more. If a page gives the list in another order than the traversal, requests a page that ends
    where they differ, and the page behind its link. A page of the run with records of other places, whose request gives those of
    its place now as the traversal did before, shows an unstable order, too. No page of the run may give an identifier twice, either,
    nor may the first four pages that links give the second provider's client.`,
  breach: 'The same id is on two pages, mostly at their border, or twice on one page.',
  causes: `There is no ORDER BY, or one over a column with equal values and no unique tie-breaker, so the database orders
    ties differently for each request. An inclusive bound repeats the border row. A join multiplies rows.`,
  fix: `Sort by a key that no two records share (the identifier last), in the same order for every request. Remove
    duplicates of joins before paging.`,
  judge: ruleTest<TraversalWithDuplicate>({
    atRest: true,
    oracle: givesNoRecordTwice,
    probes: traversalsWithDuplicates,
    // Changed data may explain a duplicate, or the order.
    otherProof: ({ traversal }, context) => findUnstableOrder(context, traversal.pageSize),
  }),
  testLater: [
    expectStableOrder,
    (context) => expectNoFaultAtBoundaries(context, 'twice'),
    (context) => expectNoDisplacedPages(context, false),
    secondClientRule(givesNoRecordTwice, async (traversal, { snapshot }) => {
      // list/items reports an identifier of another type.
      const isSound = traversal.steps.every(({ page }) => page.badItem === null);
      return isSound ? withDuplicate(snapshot, traversal) : null;
    }),
  ],
  pageRule: { atRest: true, holdsForEncodedNames: true, oracle: givesEachIdentifierOnce },
});

/** The oracle, over a traversal. */
function givesNoRecordTwice({ traversal, fault, duplicate }: TraversalWithDuplicate): RuleFinding {
  if (duplicate === null && fault !== null) return fault;
  if (duplicate === null) return traversal.reached.size > 1 ? 'kept' : null;
  return duplicateViolation(traversal, duplicate);
}

/** A traversal with the first record that it gives twice, up to its first fault. */
interface TraversalWithDuplicate {
  readonly traversal: Traversal;
  readonly fault: TraversalFault | null;
  readonly duplicate: DuplicateRecord | null;
}

/** If no traversal shows the whole list, that limits the check: records behind a page that cannot be reached may be given twice. */
async function* traversalsWithDuplicates(context: CheckContext): AsyncGenerator<TraversalWithDuplicate> {
  for await (const traversal of traversalsMainFirst(context, { whole: false }))
    yield withDuplicate(context.snapshot, traversal);
}

/** Throws Undecided for a traversal whose items have no identifier, or one that hardly tells them apart. */
async function withDuplicate(snapshot: Snapshot, traversal: Traversal): Promise<TraversalWithDuplicate> {
  const fault = findFirstFault(traversal);
  const duplicate = await findDuplicate(snapshot, stepsUpTo(fault, traversal));
  if (duplicate === 'unidentified') throw causeOfMissingIdentifier(snapshot, traversal);
  if (duplicate !== null) await expectIdentifying(snapshot, duplicate);
  return { traversal, fault, duplicate };
}

/** The breach of a traversal that gives a record twice. */
function duplicateViolation(
  traversal: Traversal,
  { identifier, first, second, exchanges }: DuplicateRecord,
): Violation {
  const name = identifier === null ? 'a record' : `record ${identifier.name}`;
  const [one, other] = [first.number, second.number];
  const place = one === other ? `twice on page ${one}` : `on page ${one} and again on page ${other}`;
  return new Violation({
    key: `${traversal.pageSize} ${identifier?.key} ${one} ${other}`,
    message: `${traversalName(traversal)} gives ${name} ${place}; no identifier appears twice`,
    expected: 'every identifier once',
    actual: `${name} ${place}`,
    counterexample: {
      pageSize: traversal.pageSize,
      pages: [one, other],
      ...(identifier === null ? {} : { identifier: identifier.name }),
    },
    exchanges,
    ...(one === other ? {} : { comparesTwo: true }),
    ...(identifier === null ? { suspected: true } : {}),
  });
}
