import { Blocked, Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { countedPagesAndPagesByParameters } from '../../src/judge/probes/pages-by-parameters.ts';
import {
  countFault,
  exceedsNumbers,
  mayBePastTheEnd,
  printCount,
  reportedCount,
} from '../../src/judge/probes/requested-page.ts';
import { expectChangeOfRecords, expectNoVaryingCount } from '../../src/judge/proofs/count-changes.ts';
import { findFlickeringCount } from '../../src/judge/proofs/flickering-count.ts';
import { expectOneCountForSecondClient } from '../../src/judge/proofs/second-client-breaches.ts';
import { expectNoRecordsBeyondCount, expectNoReturnOfCount } from '../../src/judge/proofs/unproven-counts.ts';
import { pageRule } from '../../src/judge/rules/rule.ts';
import { violationOn } from '../../src/judge/violation.ts';
import { countText } from '../../src/provider/page.ts';

const rule = pageRule({
  atRest: true,
  probes: countedPagesAndPagesByParameters,
  facts: ['counted'],
  oracle: (requested, { counted: first }) => {
    const { page, isCounted } = requested;
    if (isCounted !== true || first.kind !== 'page' || mayBePastTheEnd(requested)) return null;
    const uncounted = [first, page].find((one) => countFault(one) !== null);
    if (uncounted !== undefined)
      return new Blocked(
        'count/present',
        `count ${countFault(uncounted)} in the answer to ${uncounted.target}`,
      );
    if (countText(page) === countText(first)) return page.target === first.target ? null : 'kept';
    return violationOn(page, {
      key: `${first.target} ${countText(first)} ${page.target} ${countText(page)}`,
      message:
        `count is ${printCount(first)} in the answer to ${first.target} and ${printCount(page)} in ` +
        `that to ${page.target}; it is the same on every page and for every page size`,
      expected: exceedsNumbers(page) ? printCount(first) : reportedCount(first),
      actual: exceedsNumbers(first) ? printCount(page) : reportedCount(page),
      further: [first],
    });
  },
});

export const countStable = requirement({
  id: 'count/stable',
  clause: ['2.3', '4.3.2'],
  rule: 'While the data is at rest, count has the same value on every page and for every page size.',
  tested: `Compares count over all pages and page sizes of the run, and repeats the requests before it reports a
    difference. If that does not show again, repeats the request for a last page up to 200 times: the same last records with
    another count in between show that count is wrong. Does the same if count came back after another one in the run. If
    tokens were given different counts, uses two of them in turns. If count changed during the run, requests the record at
    the end that it names, and the one after it. An answer that gives records beyond its count keeps this open, as does a
    count that came back to an earlier value. A count that moves away from the number of records while the records stay the
    same fails, too. Also compares count over some pages of the second provider's client.`,
  breach: 'count differs from page to page, or from page size to page size.',
  causes: `count is what remains after $skip, the number of pages, the number of records on this page, or an estimate from
    the database's statistics. Replicas lag behind one another.`,
  fix: `Count the whole filtered list for every page, without page size, offset or cap, and from the same source. Or
    take the number once and keep it for the traversal.`,
  pageRule: rule.pageRule,
  testLater: [
    expectNoVaryingCount,
    expectChangeOfRecords,
    expectOneCountForSecondClient,
    expectNoRecordsBeyondCount,
    expectNoReturnOfCount,
  ],
  judge: async (context) => {
    try {
      await rule.judge(context);
    } catch (error) {
      // An intermittent difference does not show again in the same way, so it needs another proof.
      const isUnsteady =
        error instanceof Undecided && ['changing', 'intermittent'].includes(error.cause.kind);
      throw isUnsteady ? ((await findFlickeringCount(context)) ?? error) : error;
    }
  },
});
