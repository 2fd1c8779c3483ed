import { MORE_THAN_500_RECORDS } from '../../src/core/cause.ts';
import { recordCount } from '../../src/core/number-format.ts';
import { MAX_PAGE_SIZE } from '../../src/core/page-size.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { expectFirstPage } from '../../src/judge/probes/expected-page.ts';
import { unsizedCases } from '../../src/judge/probes/first-pages.ts';
import {
  countKnownRecords,
  heldThroughout,
  listFacts,
  recordsAfter,
} from '../../src/judge/probes/list-facts.ts';
import { pageRule } from '../../src/judge/rules/rule.ts';
import { type BreachOfAnswer, type Violation, violationOn } from '../../src/judge/violation.ts';
import type { ListAnswer, Page } from '../../src/provider/page.ts';

export const pageSizeDefault = requirement({
  id: 'page-size/default',
  clause: ['4.2', '4.3.4', '8'],
  rule: 'Without $pagesize, with and without $count, a page holds 500 records, or all records of a shorter list.',
  needs: MORE_THAN_500_RECORDS,
  tested: `Requests the list without $pagesize, without $count, with $count=true, also with a $skip, and with $count=false,
    and counts the items. What $skip means without $count is left open. Pages that are as short with
    $pagesize=500 are a breach of page-size/filled.`,
  breach: 'A page of 10, 50, 100 or 1,000 records, or the whole list at once.',
  causes: `No default is set, so the default of the framework applies, or none. The default applies in only one of two code
    paths (with and without $count). A database or gateway limits pages to fewer than 500 records.`,
  fix: `Apply 500 in one place, before the code paths with and without $count separate. Raise the limits of gateway and
    database to at least 500.`,
  ...pageRule({
    atRest: true,
    facts: ['list', 'largest'],
    oracle: (requested, { list, largest }) => {
      const { page, pageSize, skip, isCounted } = requested;
      // What $skip without $count does is left open.
      if (pageSize !== null || (skip > 0 && isCounted !== true)) return null;
      const after = recordsAfter(requested, list);
      const records = list.records ?? 0;
      if (after === null || records <= MAX_PAGE_SIZE || records <= skip) return null;
      const expected = Math.min(MAX_PAGE_SIZE, records - skip);
      if (page.itemCount === expected) return 'kept';
      const cause = causeOfShortPage(page, expected, largest);
      if (cause !== null) return cause;
      return wrongDefault(page, expected, records, heldThroughout(list, skip + expected));
    },
    test: async (context) => {
      await context.confirm({ atRest: true }, async ({ snapshot }) => {
        const known = await countKnownRecords(snapshot);
        for (const first of unsizedCases(context)) {
          const page = await expectFirstPage(snapshot, first);
          if (known > MAX_PAGE_SIZE) context.exercised();
          const expected = Math.min(MAX_PAGE_SIZE, known);
          if (page.itemCount === expected || (page.itemCount > expected && page.itemCount <= MAX_PAGE_SIZE))
            continue;
          const largest = await snapshot.first({ count: true, pageSize: MAX_PAGE_SIZE });
          const cause = causeOfShortPage(page, expected, largest);
          if (cause !== null) throw cause;
          const list = await listFacts(snapshot);
          throw wrongDefault(page, expected, known, {
            ...heldThroughout(list, expected),
            further: [list.main.steps[1]],
          });
        }
      });
    },
  }),
});

/** Blocked if a page of `$pagesize=500` is as short: then it is not the default that shortens pages. */
function causeOfShortPage(page: Page, expected: number, largest: ListAnswer): Blocked | null {
  if (page.itemCount >= expected || largest.kind !== 'page' || largest.itemCount !== page.itemCount)
    return null;
  return new Blocked(
    'page-size/filled',
    `GET ${page.target} is answered with ${recordCount(page.itemCount)}, and with $pagesize=500 it is as well`,
  );
}

/** @param proof further exchanges that prove it, and whether changed data may explain it */
function wrongDefault(
  page: Page,
  expected: number,
  records: number,
  proof: Pick<BreachOfAnswer, 'heldRecords' | 'further'>,
): Violation {
  return violationOn(page, {
    message: `GET ${page.target} was answered with ${recordCount(page.itemCount)}; without $pagesize a page holds ${expected} of the ${records} that the list holds`,
    expected,
    actual: page.itemCount,
    ...proof,
  });
}
