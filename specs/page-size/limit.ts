import { MORE_THAN_ONE_RECORD } from '../../src/core/cause.ts';
import { recordCount } from '../../src/core/number-format.ts';
import { MAX_PAGE_SIZE } from '../../src/core/page-size.ts';
import { requirement } from '../../src/judge/check.ts';
import { answerOrNull } from '../../src/judge/outcomes.ts';
import { expectFirstPage } from '../../src/judge/probes/expected-page.ts';
import { pageSizeProperty, requestUncountedPage, smallPageSize } from '../../src/judge/probes/first-pages.ts';
import { countKnownRecords } from '../../src/judge/probes/list-facts.ts';
import { allTraversals } from '../../src/judge/probes/list-traversals.ts';
import { type RequestedPage, requestedPageOf } from '../../src/judge/probes/requested-page.ts';
import { judgeRequestedPages, type RuleFinding } from '../../src/judge/rules/rule.ts';
import { findFirstFault, stepsUpTo, traversalName } from '../../src/judge/traversals.ts';
import { type Breach, type Violation, violationOn } from '../../src/judge/violation.ts';
import type { Page } from '../../src/provider/page.ts';
import type { Step, Traversal } from '../../src/provider/traversal.ts';

const oracle = ({ page, pageSize, size }: RequestedPage): RuleFinding => {
  // page-size/default judges pages that were requested without a size.
  if (pageSize === null || size === null) return null;
  const counterexample = { request: page.target, pageSize: size };
  return page.itemCount > size ? tooManyRecords(size, page, { counterexample }) : 'kept';
};

export const pageSizeLimit = requirement({
  id: 'page-size/limit',
  clause: ['4.2', '4.3.1'],
  smoke: true,
  rule: 'For every n from 1 to 500, with and without $count, a page holds no more than n records.',
  needs: MORE_THAN_ONE_RECORD,
  tested: `Requests page sizes at the edges (1, 2, 499, 500, around N and its divisors) and sizes drawn from the run's
    seed: with $count=true, with $count=false and without $count, about two of three drawn pages from within the list,
    the largest drawn size without $count. Also checks all pages of traversals, and all other pages of the run, with
    unknown parameters too. Shrinks a breach to the smallest page size that shows it.`,
  breach: 'A page holds n + 1 records, or $pagesize has no effect.',
  causes: `One more row is fetched to find out whether a next page exists, and never dropped. $pagesize is read under
    another name ($top, pageSize) or only without the $. The page size is applied before a join that multiplies
    rows. A bound is inclusive by mistake (BETWEEN skip AND skip + n).`,
  fix: `Drop the row that was fetched to look ahead. Apply the limit to records, not to joined rows. Read the parameter
    as $pagesize after decoding.`,
  judge: async (context) => {
    await context.property(await pageSizeProperty(context, false), async ({ snapshot }, first) => {
      const page = await answerOrNull(context, expectFirstPage(snapshot, first));
      if (page === null) return;
      if (first.pageSize < (await countKnownRecords(snapshot))) context.exercised();
      const shown = { counterexample: { ...first }, key: `${first.pageSize} ${first.count}` };
      if (page.itemCount > first.pageSize) throw tooManyRecords(first.pageSize, page, shown);
    });
    await context.confirm({ atRest: false }, async (attempt) => {
      const page = await requestUncountedPage(attempt);
      const size = Math.max(1, await smallPageSize(attempt));
      if (page.kind === 'page' && page.itemCount > size)
        throw tooManyRecords(size, page, { counterexample: { pageSize: size, count: false } });
      for (const traversal of await allTraversals(attempt))
        for (const step of stepsUpTo(findFirstFault(traversal), traversal).slice(1))
          if (step.page.itemCount > step.sizeInForce) throw tooManyOnLinkedPage(traversal, step);
    });
    await judgeRequestedPages(context, { atRest: false, oracle });
  },
  pageRule: {
    atRest: false,
    holdsForAnyQuery: true,
    // page-size/maximum judges larger pages. A provider may drop a query with an odd $count or $skip as a whole.
    oracle: (requested) =>
      hasOneSize(requested.page.target) &&
      requested.isCounted !== null &&
      requestedPageOf(requested.page) !== null &&
      requested.page.itemCount <= MAX_PAGE_SIZE
        ? oracle(requested)
        : null,
  },
});

/** Whether the page size is given once, and under no other name that a provider may take for it. */
function hasOneSize(target: string): boolean {
  return /[?&]\$pagesize=/.test(target) && target.match(/pagesize/gi)?.length === 1;
}

function tooManyRecords(
  size: number,
  page: Page,
  shown: Pick<Breach, 'key' | 'counterexample'> & { readonly message?: string },
): Violation {
  return violationOn(page, {
    message: `GET ${page.target} was answered with ${recordCount(page.itemCount)}; a page holds at most ${size}`,
    expected: `at most ${size}`,
    actual: page.itemCount,
    ...shown,
  });
}

function tooManyOnLinkedPage(traversal: Traversal, { page, sizeInForce, number }: Step): Violation {
  return tooManyRecords(sizeInForce, page, {
    key: `${traversal.pageSize} page ${number}`,
    message:
      `page ${number} of ${traversalName(traversal)} holds ${recordCount(page.itemCount)}; ` +
      `the page size in force is ${sizeInForce}`,
    counterexample: { pageSize: sizeInForce, page: number },
  });
}
