import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { expectPage } from '../../src/judge/expected-page.ts';
import type { SizeCase } from '../../src/judge/first-pages.ts';
import { positionOf } from '../../src/judge/list-position.ts';
import { allTraversals, countKnownRecords, mainTraversal } from '../../src/judge/list-traversals.ts';
import { soundSteps } from '../../src/judge/missteps.ts';
import { judgeEveryPage } from '../../src/judge/page-rule.ts';
import { firstPageFor, pageSizeProperty, requestLine } from '../../src/judge/page-size-property.ts';
import { type RequestedPage, requestedPageOf, sizeInForce } from '../../src/judge/requested-page.ts';
import {
  findFullerTraversal,
  hasMoreAfter,
  lastStepWithNewRecords,
  traversalName,
} from '../../src/judge/traversals.ts';
import { Violation } from '../../src/judge/violation.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

export const pageSizeFilled = requirement({
  id: 'page-size/filled',
  clause: ['4.2', '4.3.2'],
  smoke: false,
  rule: prose`For every n from 1 to 500, a first page holds n records, or all N if there are fewer, and every linked page
    except the last holds n.`,
  needs: null,
  tested: prose`Counts the items of first pages (page sizes at the edges and sizes drawn from the run's seed) and of every
    traversal page except the last.`,
  breach: 'A page holds fewer records than requested, although more exist.',
  causes: prose`Records are filtered (by permission, by a deleted flag) or de-duplicated after the limit was applied. The real
    maximum is below 500, such as 499 or 100. A size limit on the answer cuts pages. Page sizes are rounded, or
    replaced by a default above some value.`,
  fix: 'Filter, join and de-duplicate before the limit is applied. Use every size from 1 to 500 as it is.',
  judge: async (context) => {
    await context.property(await pageSizeProperty(context, true), (snapshot, size) =>
      expectFilled(context, snapshot, size),
    );
    await context.confirm({ atRest: true }, async (snapshot) => {
      const traversals = await allTraversals(context, snapshot);
      for (const traversal of traversals) {
        for (const step of soundSteps(traversal).slice(1)) {
          if (step.page.itemCount >= step.sizeInForce) continue;
          const holder = hasMoreAfter(traversal, step)
            ? null
            : findFullerTraversal(traversal, step, traversals);
          if (holder === null && !hasMoreAfter(traversal, step)) continue;
          const proof = holder === null ? traversal.steps[step.number] : lastStepWithNewRecords(holder);
          const more =
            holder === null
              ? 'although more follow'
              : `and links on, although ${traversalName(holder)} reaches ${holder.reached.beyond(traversal.reached).length} that no page of this one gives`;
          throw new Violation({
            key: `${traversal.pageSize} page ${step.number}`,
            message: `page ${step.number} of ${traversalName(traversal)} holds ${step.page.itemCount} records ${more}; a linked page but the last holds ${step.sizeInForce}`,
            expected: step.sizeInForce,
            actual: step.page.itemCount,
            counterexample: { pageSize: step.sizeInForce, page: step.number },
            exchanges: [step.page.exchange, ...(proof == null ? [] : [proof.page.exchange])],
          });
        }
      }
    });
    await judgeEveryPage(context, { atRest: true }, async (asked, snapshot) => {
      const { page, pageSize, skip } = asked;
      const size = sizeInForce(asked) ?? (await sizeOfCounted(context, asked, snapshot));
      const place = pageSize === null || size === null ? null : await positionOf(asked, snapshot);
      if (place === null || size === null) return null;
      const expected = Math.max(0, Math.min(size, place.records - skip));
      if (page.itemCount >= expected) return null;
      return new Violation({
        key: page.target,
        message: `GET ${page.target} was answered with ${page.itemCount} records; with ${size} to a page it holds ${expected} of the ${place.records} that the list holds`,
        expected,
        actual: page.itemCount,
        counterexample: { request: page.target, pageSize: size },
        exchanges: [page.exchange],
      });
    });
  },
});

/** The page size that was applied to the same call with $count=true, as its link says; null where that says nothing. */
async function sizeOfCounted(
  context: CheckContext,
  { pageSize, skip }: RequestedPage,
  snapshot: Snapshot,
): Promise<number | null> {
  const target = `${snapshot.client.path}?$count=true&$pagesize=${pageSize}${skip > 0 ? `&$skip=${skip}` : ''}`;
  // Only where it is asked for anyway.
  if (!context.snapshot.pages().some((page) => page.target === target)) return null;
  const counted = await snapshot.at(target);
  const asked = counted.kind === 'page' ? requestedPageOf(counted) : null;
  return asked === null ? null : sizeInForce(asked);
}

async function expectFilled(context: CheckContext, snapshot: Snapshot, value: SizeCase): Promise<void> {
  const traversal = await mainTraversal(snapshot);
  const known = await countKnownRecords(snapshot);
  const expected = Math.min(value.pageSize, known);
  const answer = await snapshot.first(firstPageFor(value));
  if (answer.kind === 'refused') await expectTheListIsOpen(snapshot, answer.why, value.count);
  if (answer.kind === 'no-envelope') await expectPage(snapshot, answer, firstPageFor(value));
  if (known > 0) context.exercised();
  if (answer.kind === 'page' && answer.itemCount >= expected) return;
  if (answer.kind === 'page') await expectSizeToMatter(context, snapshot, answer.itemCount);
  throw new Violation({
    key: `${value.pageSize} ${value.count}`,
    message:
      answer.kind === 'page'
        ? `${requestLine(snapshot, firstPageFor(value))} was answered with ${answer.itemCount} records; a first page holds ${expected} of the ${known} that the list holds`
        : `${requestLine(snapshot, firstPageFor(value))} was answered ${answer.status}; a first page holds ${expected} records`,
    expected,
    actual: answer.kind === 'page' ? answer.itemCount : `status ${answer.status}`,
    counterexample: { pageSize: value.pageSize, count: value.count },
    exchanges: [answer.exchange, ...traversal.steps.slice(-1).map((step) => step.page.exchange)],
  });
}

async function expectTheListIsOpen(snapshot: Snapshot, why: string, count: boolean): Promise<void> {
  const plain = await snapshot.first({});
  if (plain.kind === 'refused')
    throw new Blocked('authorization/accepted', `the list call with a valid token is refused: ${why}`);
  if (count && (await snapshot.first({ count: true })).kind === 'refused')
    throw new Blocked('count/present', `$count=true is refused whatever the page size: ${why}`);
}

// A page size that is ignored shows twice: small ones get too many, large ones too few. The first names the cause.
async function expectSizeToMatter(context: CheckContext, snapshot: Snapshot, length: number): Promise<void> {
  if (length <= 1) return;
  const small = await snapshot.first({ count: true, pageSize: 1 });
  if (small.kind === 'page' && small.itemCount === length && context.options.suite !== 'smoke') {
    throw new Blocked(
      'page-size/limit',
      `$pagesize is ignored: a page holds ${length} records whatever is asked for`,
    );
  }
}
