import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeEveryPage, sizeInForce } from '../../src/judge/every-page.ts';
import { countedPagesInTurn } from '../../src/judge/evidence.ts';
import { Violation } from '../../src/judge/findings.ts';
import { usableLink } from '../../src/judge/link-parameters.ts';
import { shown } from '../../src/judge/list-end.ts';
import { queryFault } from '../../src/judge/walks.ts';

export const linkQuery = requirement({
  id: 'link/query',
  clause: ['2.3'],
  smoke: false,
  rule: prose`The query of the link carries $count=true, $pagesize with the page size in force, and $skip, each of
      them once. Names may be written with %24, stand in any order, and have further parameters beside them.`,
  needs: MORE_THAN_ONE_PAGE,
  tested: 'Reads the query of every link of the run, after decoding names and values once.',
  breach: 'A parameter is missing, stands twice, has another value, or has lost its $.',
  causes: prose`The old $skip kept and a new one appended; $pagesize dropped where the default was in force; the $
      removed or encoded twice (%2524) by a URL builder; $count written as 1; a continuation token
      ($skiptoken, cursor) in place of $skip.`,
  fix: prose`Build the query anew from $count=true, the page size in force and the new $skip, each once,
      and add further parameters of the request after that; do not append to the old query.`,
  judge: async (context) => {
    await context.settle({ atRest: false }, async (view) => {
      let followed: Blocked | null = null;
      for await (const { page, size, pageSize, number } of countedPagesInTurn(context, view)) {
        const usable = usableLink(page, view);
        if (usable === null) continue;
        const fault = queryFault(usable.parameters, pageSize ?? size);
        const unsized = pageSize === null && number === 1 && page.itemCount !== size;
        const sizeUnknown = unsized || page.itemCount > size || fault?.actual === String(page.itemCount);
        if (fault?.name === '$pagesize' && /^\d+$/.test(fault.actual) && sizeUnknown) {
          // The link may well repeat the page size that the provider applied: that it is another one is told elsewhere.
          followed ??= new Blocked(
            pageSize === null
              ? 'page-size/default'
              : page.itemCount > size
                ? 'page-size/limit'
                : 'page-size/filled',
            `the page holds ${page.itemCount} records instead of ${size}`,
          );
          continue;
        }
        context.exercised();
        if (fault === null) continue;
        throw new Violation({
          key: fault.what,
          message: `the nextPageLink of ${page.target} (page ${number}) is ${shown(page.link ?? null)}: ${fault.what}`,
          expected: fault.expected,
          actual: fault.actual,
          counterexample: { pageSize, page: number },
          exchanges: [page.exchange],
        });
      }
      if (followed !== null) throw followed;
    });
    await judgeEveryPage(context, { atRest: false }, (asked, view) => {
      const { page } = asked;
      const usable = asked.counting === true ? usableLink(page, view) : null;
      const size = sizeInForce(asked);
      if (usable === null) return null;
      const sizes = usable.parameters.filter(({ name }) => name === '$pagesize');
      // Of a size beyond 1 to 500 the link repeats what was asked for, or what was applied.
      const isRepeated = asked.size === null && sizes.length === 1 && sizes[0]?.value === asked.pageSize;
      const fault = queryFault(usable.parameters, isRepeated || size === null ? null : size);
      if (fault === null || (fault.name === '$pagesize' && fault.actual === String(page.itemCount)))
        return null;
      return new Violation({
        key: page.target,
        message: `the nextPageLink of ${page.target} is ${shown(page.link ?? null)}: ${fault.what}`,
        expected: fault.expected,
        actual: fault.actual,
        counterexample: { request: page.target },
        exchanges: [page.exchange],
      });
    });
  },
});
