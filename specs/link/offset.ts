import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeEveryPage, placeOf } from '../../src/judge/every-page.ts';
import { countedPagesInTurn, knownRecords } from '../../src/judge/evidence.ts';
import { Violation } from '../../src/judge/findings.ts';
import { usableLink } from '../../src/judge/link-parameters.ts';

export const linkOffset = requirement({
  id: 'link/offset',
  clause: ['2.3'],
  smoke: false,
  rule: '$skip in the link is the number of records given so far, this page included.',
  needs: MORE_THAN_ONE_PAGE,
  tested: 'Adds up the items of each walk, page by page, and compares the sum with the $skip of the link.',
  breach:
    'A $skip that lies behind or ahead of the sum: the next page would repeat records or leave some out.',
  causes: prose`$skip advanced by the default or the maximum page size in place of the one in force, or by the number
      asked for where fewer were given; counted in pages; never advanced; one too few or too many.`,
  fix: prose`Set $skip to the $skip of this request plus the number of records that this page gave.`,
  judge: async (context) => {
    await context.settle({ atRest: false }, async (view) => {
      let followed: Blocked | null = null;
      let sized = true;
      const known = await knownRecords(view);
      for await (const { page, size, pageSize, number, given } of countedPagesInTurn(context, view, {
        sized: true,
      })) {
        if (number === 1) sized = true;
        const usable = usableLink(page, view);
        sized &&= page.itemCount === size;
        if (usable === null) continue;
        const skips = usable.parameters.filter(({ name }) => name === '$skip');
        if (skips.length !== 1) {
          followed ??= new Blocked(
            'link/query',
            `the link of ${page.target} carries $skip ${skips.length} times`,
          );
          continue;
        }
        if (page.count === given && given >= known) {
          followed ??= new Blocked(
            'link/absent-at-the-end',
            `page ${number} holds the last of ${given} records and is linked on`,
          );
          continue;
        }
        const skip = skips[0]?.value ?? '';
        if (/^\d{1,15}$/.test(skip) && Number(skip) === given) {
          context.exercised();
          continue;
        }
        if (!sized && Number(skip) === number * size) {
          followed ??= new Blocked(
            page.itemCount > size ? 'page-size/limit' : 'page-size/filled',
            `a page holds ${page.itemCount} records instead of ${size}`,
          );
          continue;
        }
        context.exercised();
        throw new Violation({
          key: `${pageSize} page ${number}`,
          message: `after ${number === 1 ? 'the first page' : `${number} pages`} ${pageSize === null ? 'without $pagesize' : `of $pagesize=${pageSize}`}, ${given} records were given, and the link's $skip is ${skip} instead of ${given}`,
          expected: given,
          actual: /^-?\d{1,15}$/.test(skip) ? Number(skip) : skip,
          counterexample: { pageSize, page: number },
          exchanges: [page.exchange],
        });
      }
      if (followed !== null) throw followed;
    });
    await judgeEveryPage(context, { atRest: false }, async (asked, view) => {
      const { page, size, skip } = asked;
      const usable = asked.counting === true ? usableLink(page, view) : null;
      const skips = usable?.parameters.filter(({ name }) => name === '$skip') ?? [];
      const value = skips[0]?.value ?? '';
      const expected = skip + page.itemCount;
      if (skips.length !== 1 || (/^\d{1,15}$/.test(value) && Number(value) === expected)) return null;
      // Of a page that is not filled, or overfull, page-size/filled and page-size/limit tell.
      if (size !== null && page.itemCount !== size && Number(value) === skip + size) return null;
      const place = await placeOf(asked, view);
      if (place === null || place.after <= 0) return null;
      return new Violation({
        key: page.target,
        message: `GET ${page.target} gives ${page.itemCount} records from record ${skip + 1} on, and the link's $skip is ${value} instead of ${expected}`,
        expected,
        actual: /^-?\d{1,15}$/.test(value) ? Number(value) : value,
        counterexample: { request: page.target },
        exchanges: [page.exchange],
      });
    });
  },
});
