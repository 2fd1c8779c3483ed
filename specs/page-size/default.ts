import { MORE_THAN_500_RECORDS } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { knownRecords, mainWalk, pageOf } from '../../src/judge/evidence.ts';
import { Violation } from '../../src/judge/findings.ts';
import { spoken } from '../../src/judge/page-size-property.ts';
import { MAXIMUM } from '../../src/judge/sizes.ts';

export const pageSizeDefault = requirement({
  id: 'page-size/default',
  clause: ['4.2', '4.3.4', '8'],
  smoke: false,
  rule: prose`When $pagesize is left out, with and without $count, a page holds 500 records, or all of them where
      the list is shorter.`,
  needs: MORE_THAN_500_RECORDS,
  tested:
    'Makes the list call without $pagesize, once with and once without $count=true, and counts the items.',
  breach: 'A page of 10, 50, 100 or 1,000 records, or the whole list at once.',
  causes: prose`No default set, so that the framework's own applies or none at all; the default applied only in one
      of two code paths (with $count and without); a database or gateway limit below 500.`,
  fix: prose`Apply 500 in one place, before the paths with and without $count part, and raise limits of
      gateway and database to at least that.`,
  judge: async (context) => {
    await context.settle({ atRest: true }, async (view) => {
      const walk = await mainWalk(view);
      const known = await knownRecords(view);
      for (const first of [{}, { count: true }]) {
        const page = await pageOf(view, first);
        if (known > MAXIMUM) context.exercised();
        const expected = Math.min(MAXIMUM, known);
        if (page.itemCount === expected || (page.itemCount > expected && page.itemCount <= MAXIMUM)) continue;
        throw new Violation({
          key: `default ${first.count === true}`,
          message: `${spoken(view, first)} was answered with ${page.itemCount} records; without $pagesize a page holds ${expected} of the ${known} that the list holds`,
          expected,
          actual: page.itemCount,
          counterexample: { request: page.target },
          exchanges: [page.exchange, ...(walk.steps[1] === undefined ? [] : [walk.steps[1].page.exchange])],
        });
      }
    });
  },
});
