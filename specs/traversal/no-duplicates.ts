import { prose } from '../../src/core/prose.ts';
import { Blocked, Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { type DuplicateRecord, findDuplicate } from '../../src/judge/duplicate-records.ts';
import { traversalsMainFirst } from '../../src/judge/list-traversals.ts';
import { blockedByMisstep, firstMisstep } from '../../src/judge/missteps.ts';
import { traversalName } from '../../src/judge/traversals.ts';
import { findUnstableOrder } from '../../src/judge/unstable-order.ts';
import { Violation } from '../../src/judge/violation.ts';
import type { Traversal } from '../../src/provider/traversal.ts';

export const traversalNoDuplicates = requirement({
  id: 'traversal/no-duplicates',
  clause: ['2.2', '4.3.2'],
  smoke: false,
  rule: 'No identifier appears twice in one traversal of the list.',
  needs: null,
  tested: prose`Collects hashes of the identifiers of each traversal. If two are equal, reads both pages again and compares the
    identifiers themselves. Repeats the traversal before it reports a duplicate, so that records inserted meanwhile
    do not count against the provider. If a duplicate does not show again, traverses the list up to eight times: a record
    that comes twice while another is left out, with the same count and the same records before and after, shows an
    unstable order.`,
  breach: 'The same id is on two pages, mostly at their border, or twice on one page.',
  causes: prose`There is no ORDER BY, or one over a column with equal values and no unique tie-breaker, so the database orders
    ties differently for each request. An inclusive bound repeats the border row. A join multiplies rows.`,
  fix: prose`Sort by a key that no two records share (the identifier last), in the same order for every request. Remove
    duplicates of joins before paging.`,
  judge: async (context) => {
    let suspect: Traversal | null = null;
    const judged = context.confirm({ atRest: true }, async (snapshot) => {
      let blocked: Undecided | null = null;
      for await (const traversal of traversalsMainFirst(context, snapshot, { whole: false })) {
        const misstep = firstMisstep(traversal);
        const steps = misstep === null ? traversal.steps : traversal.steps.slice(0, misstep.step.number);
        if (misstep !== null) blocked ??= blockedByMisstep(misstep);
        const duplicate = await findDuplicate(snapshot, steps);
        if (duplicate !== null && duplicate !== 'unidentified') suspect ??= traversal;
        if (duplicate === 'unidentified')
          throw new Blocked(
            'list/items',
            `items of ${traversalName(traversal)} have no ${context.list.resource.idField}`,
          );
        if (traversal.reached.size > 1) context.exercised();
        if (duplicate !== null) throw duplicateViolation(traversal, duplicate);
      }
      if (blocked !== null) throw blocked;
    });
    await judged.catch((error: unknown) => {
      if (!(error instanceof Undecided)) throw error;
    });
    // A duplicate that changed data may explain, or the order.
    if (suspect !== null) await expectStableOrder(context, suspect);
    await judged;
  },
});

async function expectStableOrder(context: CheckContext, { pageSize }: Traversal): Promise<void> {
  const violation = await findUnstableOrder(context, pageSize);
  if (violation !== null) throw violation;
}

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
    ...(identifier === null ? { suspected: true } : {}),
  });
}
