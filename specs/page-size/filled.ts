import { recordCount } from '../../src/core/number-format.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { answerOrNull } from '../../src/judge/outcomes.ts';
import { expectNoOtherCause, expectSizeToHaveEffect } from '../../src/judge/probes/expected-page.ts';
import { pageSizeProperty, type SizeCase } from '../../src/judge/probes/first-pages.ts';
import {
  heldThroughout,
  type ListFacts,
  listFacts,
  misplacement,
  recordsAfter,
} from '../../src/judge/probes/list-facts.ts';
import { allTraversals } from '../../src/judge/probes/list-traversals.ts';
import { expectNoSizeRefused } from '../../src/judge/proofs/refused-first-page.ts';
import { pageRule } from '../../src/judge/rules/rule.ts';
import {
  findFirstFault,
  findFullerTraversal,
  hasMoreAfter,
  lastStepWithNewRecords,
  stepsUpTo,
  traversalName,
} from '../../src/judge/traversals.ts';
import { Violation, violationOn } from '../../src/judge/violation.ts';
import type { Page } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';
import type { Step, Traversal } from '../../src/provider/traversal.ts';

export const pageSizeFilled = requirement({
  id: 'page-size/filled',
  clause: ['4.2', '4.3.2'],
  rule: `For every n from 1 to 500, a first page holds n records, or all N if there are fewer, and every linked page
    except the last holds n.`,
  tested: `Counts the items of first pages (page sizes at the edges and sizes drawn from the run's seed) and of every
    traversal page except the last. A first page that any check requested and that is refused for some seconds fails, too.`,
  breach: 'A page holds fewer records than requested, although more exist.',
  causes: `Records are filtered (by permission, by a deleted flag) or de-duplicated after the limit was applied. The real
    maximum is below 500, such as 499 or 100. A size limit on the answer cuts pages. Page sizes are rounded, or
    replaced by a default above some value.`,
  fix: 'Filter, join and de-duplicate before the limit is applied. Use every size from 1 to 500 as it is.',
  testLater: [expectNoSizeRefused],
  ...pageRule({
    atRest: true,
    facts: ['list', 'size', 'misplaced'],
    oracle: (requested, { list, size, misplaced }) => {
      const { page, pageSize, skip } = requested;
      const after = pageSize === null ? null : recordsAfter(requested, list);
      if (after === null || size === null) return null;
      const expected = Math.max(0, Math.min(size, page.itemCount + after));
      if (page.itemCount >= expected) return null;
      if (misplaced !== null) return misplaced;
      return violationOn(page, {
        message:
          `GET ${page.target} was answered with ${recordCount(page.itemCount)}; ` +
          `with page size ${size} it holds ${expected} of the ${list.records} that the list holds`,
        expected,
        actual: page.itemCount,
        counterexample: { request: page.target, pageSize: size },
        ...heldThroughout(list, skip + expected),
      });
    },
    test: async (context) => {
      await context.property(await pageSizeProperty(context, true), (attempt, size) =>
        expectFilledFirstPage(attempt, size),
      );
      await context.confirm({ atRest: true }, async (attempt) => {
        const { snapshot } = attempt;
        const unfilled = findUnfilledPage(await allTraversals(attempt));
        if (unfilled === null) return;
        expectInPlace(unfilled.step.page, snapshot);
        throw unfilledLinkedPage(await listFacts(snapshot), unfilled);
      });
    },
  }),
});

/** Throws Blocked if a page answers another $skip than that of its request. */
function expectInPlace(page: Page, snapshot: Snapshot): void {
  const misplaced = misplacement(page, snapshot);
  if (misplaced !== null) throw misplaced;
}

async function expectFilledFirstPage(context: CheckContext, value: SizeCase): Promise<void> {
  const { snapshot } = context;
  const list = await listFacts(snapshot);
  const { main, known, records } = list;
  const expected = Math.min(value.pageSize, known);
  const answer = await answerOrNull(context, snapshot.first(value));
  if (answer === null) return;
  if (answer.kind !== 'page') await expectNoOtherCause(snapshot, answer, value);
  if (known > 0) context.exercised();
  if (answer.kind === 'page') {
    if (answer.itemCount >= expected) return;
    expectInPlace(answer, snapshot);
    await expectSizeToHaveEffect(context, answer.itemCount);
  }
  const given = answer.kind === 'page' ? `with ${recordCount(answer.itemCount)}` : `${answer.status}`;
  const ofAll =
    answer.kind === 'page'
      ? `${expected} of ${records === null ? 'at least' : 'the'} ${known} that the list holds`
      : `${expected} records`;
  throw new Violation({
    key: `${value.pageSize} ${value.count}`,
    message: `GET ${snapshot.targetOf(value)} was answered ${given}; a first page holds ${ofAll}`,
    expected,
    actual: answer.kind === 'page' ? answer.itemCount : `status ${answer.status}`,
    counterexample: { ...value },
    exchanges: [answer, main.steps.at(-1)],
    ...heldThroughout(list, expected),
  });
}

function unfilledLinkedPage(list: ListFacts, { traversal, step, fuller, proof }: UnfilledPage): Violation {
  const { page, number, sizeInForce, recordsSoFar } = step;
  const more =
    fuller === null
      ? 'although more follow'
      : `${step.link === null ? '' : 'and has a link, '}although ${traversalName(fuller)} reaches ` +
        `${fuller.reached.beyond(traversal.reached).length} records that this traversal does not reach`;
  return new Violation({
    key: `${traversal.pageSize} page ${number}`,
    message:
      `page ${number} of ${traversalName(traversal)} holds ${recordCount(page.itemCount)} ${more}; ` +
      `every linked page except the last holds ${sizeInForce}`,
    expected: sizeInForce,
    actual: page.itemCount,
    counterexample: { pageSize: sizeInForce, page: number },
    exchanges: [page, proof],
    ...heldThroughout(list, recordsSoFar - page.itemCount + sizeInForce),
  });
}

/** A linked page that is not the last one and holds fewer records than the page size in force. */
interface UnfilledPage {
  readonly traversal: Traversal;
  readonly step: Step;
  /** Another traversal that reaches records which this one misses; null if records follow the page. */
  readonly fuller: Traversal | null;
  /** A page with records that follow; null if there is none to name. */
  readonly proof: Step | null;
}

/** The first such page before any other fault of its traversal; null if there is none. */
function findUnfilledPage(traversals: readonly Traversal[]): UnfilledPage | null {
  for (const traversal of traversals) {
    for (const step of stepsUpTo(findFirstFault(traversal), traversal).slice(1)) {
      if (step.page.itemCount >= step.sizeInForce) continue;
      if (hasMoreAfter(traversal, step))
        return { traversal, step, fuller: null, proof: traversal.steps[step.number] ?? null };
      const fuller = findFullerTraversal(traversal, step, traversals);
      if (fuller === null) continue;
      const proof = lastStepWithNewRecords(fuller);
      // A traversal that requested no more pages reaches no more records: this says nothing of the page.
      return { traversal, step, fuller: traversal.end.kind === 'paused' ? null : fuller, proof };
    }
  }
  return null;
}
