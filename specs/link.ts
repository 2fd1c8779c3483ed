import { Blocked, Undecided } from '../src/core/undecided.ts';
import { parametersAstray } from '../src/judge/by-parameters.ts';
import { check } from '../src/judge/check.ts';
import type { CheckContext } from '../src/judge/context.ts';
import { judgeEveryPage, placeOf, sizeInForce } from '../src/judge/every-page.ts';
import {
  allOf,
  allWalks,
  countedPagesInTurn,
  countFalse,
  firstPages,
  knownRecords,
  pageOf,
  wholeWalks,
} from '../src/judge/evidence.ts';
import { Violation } from '../src/judge/findings.ts';
import { expectEnd, expectEndOfJump, jumpsToTheEnd, needless, shown } from '../src/judge/list-end.ts';
import {
  causedBy,
  doubtful,
  firstMisstep,
  firstObstacle,
  followingByParameters,
  lastTelling,
  type Misstep,
  missingLink,
  notWhole,
  queryFault,
  sameRecords,
} from '../src/judge/walks.ts';
import { readLink, readQuery } from '../src/provider/link.ts';
import type { ListAnswer, Page } from '../src/provider/page.ts';
import { kindOf } from '../src/provider/schemas.ts';
import type { View } from '../src/provider/view.ts';

/** Chapter link: nextPageLink (2.3, 4.3). */
export const link = [
  check('link/absent-without-count', async (context) => {
    await context.settle({ atRest: false }, async (view) => {
      const known = await knownRecords(view);
      const expectNone = (page: ListAnswer): void => {
        if (page.kind !== 'page') return;
        if (known > page.itemCount) context.exercised();
        if (page.link !== undefined) throw unaskedLink(page);
      };
      const firsts = await firstPages(context, view);
      for (const { first, answer } of firsts) if (first.count !== true) expectNone(answer);
      const size = Math.min(7, Math.max(1, known - 1));
      for (const first of [{ pageSize: size }, await countFalse(context, view)])
        expectNone(await pageOf(view, first));
      const counted = firsts.flatMap(({ first, answer }) =>
        first.count === true && answer.kind === 'page' ? [answer] : [],
      );
      // Where links are missed, or called otherwise, that none is given shows nothing.
      if (counted.length > 0 && counted.every((page) => page.link === undefined) && counted.some(countsMore))
        context.curtailed(new Blocked('link/present-when-more', 'no page gives a nextPageLink at all'));
    });
    await judgeEveryPage(context, { atRest: false }, ({ page, counting }) =>
      counting === false && page.link !== undefined ? unaskedLink(page) : null,
    );
  }),

  check('link/present-when-more', async (context) => {
    await context.settle({ atRest: true }, async (view) => {
      const walks = await allWalks(context, view);
      const known = Math.max(await knownRecords(view), ...walks.map((walk) => walk.reached.size));
      for (const { first, answer, size } of await firstPages(context, view)) {
        if (first.count !== true || answer.kind !== 'page') continue;
        if (answer.itemCount < known) context.exercised();
        if (answer.link !== undefined && answer.link !== '') continue;
        const further = answer.itemCount < known ? null : await furtherThan(context, view, answer, size);
        if (answer.itemCount >= known && further === null) continue;
        throw new Violation({
          key: answer.target,
          message: `GET ${answer.target} gives ${answer.itemCount} of ${further === null ? known : answer.count} records and no nextPageLink${further === null ? '' : `, yet ${further.target} gives ${further.itemCount} others`}; a page that has records after it gives one`,
          expected: 'a nextPageLink',
          actual: answer.link === '' ? '' : 'none',
          counterexample: { request: answer.target },
          exchanges: [answer.exchange, ...(further === null ? [] : [further.exchange])],
        });
      }
      for (const walk of walks) {
        const misstep = firstMisstep(walk);
        if (misstep !== null) context.curtailed(causedBy(misstep));
        const missing = await missingLink(view, walk, { walks, known });
        if (missing !== null) {
          throw new Violation({
            key: `${walk.pageSize} ${walk.steps.length}`,
            message: `${missing.sentence}; a page that has records after it gives a nextPageLink`,
            expected: 'a nextPageLink',
            actual: 'none',
            counterexample: { pageSize: walk.pageSize, page: walk.steps.length },
            exchanges: missing.exchanges,
          });
        }
        if (walk.steps.length > 1) context.exercised();
        const doubt = misstep === null ? await doubtful(view, walk) : null;
        if (doubt !== null)
          context.curtailed(
            new Blocked('traversal/by-parameters', `${doubt.message}, and what follows cannot be seen`),
          );
      }
    });
    await judgeEveryPage(context, { atRest: true }, async (asked, view) => {
      const { page, counting } = asked;
      if (counting !== true || page.itemCount === 0 || (page.link !== undefined && page.link !== ''))
        return null;
      const place = await placeOf(asked, view);
      if (place === null || place.after <= 0) return null;
      context.exercised();
      return new Violation({
        key: page.target,
        message: `GET ${page.target} gives ${page.itemCount} of ${place.records} records and no nextPageLink, although ${place.after} follow; a page that has records after it gives one`,
        expected: 'a nextPageLink',
        actual: page.link === '' ? '' : 'none',
        counterexample: { request: page.target },
        exchanges: [page.exchange],
      });
    });
  }),

  check('link/absent-at-the-end', async (context) => {
    await context.settle({ atRest: true }, async (view) => {
      const walks = await wholeWalks(context, view);
      const main = walks[0];
      if (main === undefined) throw new Error('there is always a main walk');
      if (!main.identified) throw new Blocked('list/items', 'items have no identifier to tell them apart');
      let misstep: Misstep | null = null;
      for (const walk of walks) misstep ??= await expectEnd(context, view, walk, walks);
      if (misstep !== null) throw causedBy(misstep);
      const known = main.reached.size;
      const doubled = new Blocked('traversal/no-duplicates', 'the walk gives records more than once');
      // Told first where records came twice before the last new one: its end is then not known at all.
      if ((lastTelling(main)?.given ?? 0) > known) throw doubled;
      const obstacle = await notWhole(view, main, walks);
      if (obstacle !== null) throw obstacle;
      if (main.steps.at(-1)?.given !== known) throw doubled;
      if (!walks.every((walk) => sameRecords(main, walk)))
        throw (
          (await firstObstacle(view, walks)) ??
          new Blocked('traversal/same-records', 'page sizes reach different records')
        );
      const jumps = context.options.suite === 'smoke' ? [] : jumpsToTheEnd(known);
      // Asked for beside the first pages, which take longest, rather than after them; not where a breach is confirmed.
      const ahead = view === context.view ? jumps.map((jump) => view.first(jump)) : [];
      const [pages] = await allOf([firstPages(context, view), Promise.allSettled(ahead)]);
      for (const { first, answer, size } of pages) {
        if (first.count !== true || answer.kind !== 'page' || size < known || answer.itemCount < known)
          continue;
        context.exercised();
        if (answer.link !== undefined) throw needless(answer, `all ${known} records`);
      }
      let judged = true;
      for (const jump of jumps) judged = (await expectEndOfJump(context, view, main, jump)) && judged;
      const astray = judged ? null : await parametersAstray(context, view);
      if (astray !== null) context.curtailed(astray);
    });
    await judgeEveryPage(context, { atRest: true }, async (asked, view) => {
      const { page, counting } = asked;
      if (counting !== true || page.link === undefined) return null;
      const place = await placeOf(asked, view);
      if (place === null || place.after > 0 || page.count !== place.records) return null;
      return needless(page, `the last of ${place.records} records`);
    });
  }),

  check('link/relative', async (context) => {
    await context.settle({ atRest: false }, async (view) => {
      for await (const { page } of countedPagesInTurn(context, view)) {
        if (page.link === undefined || page.link === '') continue;
        context.exercised();
        const violation = misplacedLink(page, view);
        if (violation !== null) throw violation;
      }
    });
    await judgeEveryPage(context, { atRest: false }, ({ page }, view) => misplacedLink(page, view));
  }),

  check('link/query', async (context) => {
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
  }),

  check('link/offset', async (context) => {
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
  }),
];

/** The breach of a page that was asked for without $count=true and links on. */
function unaskedLink(page: Page): Violation {
  return new Violation({
    key: page.target,
    message: `GET ${page.target} was answered with a nextPageLink (${shown(page.link ?? null)}); without $count=true none is given`,
    expected: 'no nextPageLink',
    actual: page.link ?? null,
    counterexample: { request: page.target },
    exchanges: [page.exchange],
  });
}

/** The breach of a page whose link is not relative, or leads elsewhere; null where it is as it should be, or not given. */
function misplacedLink(page: Page, view: View): Violation | null {
  const why = page.link === undefined || page.link === '' ? null : faultOf(page, view);
  if (why === null) return null;
  return new Violation({
    key: why.replaceAll(/\d+/g, 'N'),
    message: `the nextPageLink of ${page.target} is ${shown(page.link ?? null)}: ${why}`,
    expected: `a relative reference whose path is ${view.client.place.listPath}`,
    actual: page.link ?? null,
    counterexample: { request: page.target },
    exchanges: [page.exchange],
  });
}

/** The page behind a full first one that counts more than it gives, where it holds further records. */
async function furtherThan(
  context: CheckContext,
  view: View,
  page: Page,
  size: number,
): Promise<Page | null> {
  if (!countsMore(page) || page.itemCount < size) return null;
  const next = await followingByParameters(view, { sizeInForce: size, given: page.itemCount });
  const given = new Set(page.identities);
  const behind = next.kind === 'page' ? next.identities : [];
  if (next.kind === 'page' && behind.length > 0 && behind.every((identity) => !given.has(identity)))
    return next;
  if (next.kind === 'page' && next.itemCount === 0) return null;
  const doubt = `${page.target} counts ${page.count} records, gives ${page.itemCount} and no nextPageLink, and what is behind them cannot be seen`;
  context.curtailed(new Blocked('traversal/by-parameters', doubt));
  return null;
}

function countsMore({ count, itemCount }: Page): boolean {
  return typeof count === 'number' && count > itemCount;
}

function faultOf(page: Page, view: View): string | null {
  if (typeof page.link !== 'string') return `it is ${kindOf(page.link)} instead of a string`;
  const read = readLink(page.link, view.client.place);
  if (read.kind === 'unusable') {
    if (read.limit !== undefined)
      throw new Undecided(
        { kind: 'limit', limit: read.limit },
        `the nextPageLink of ${page.target}: ${read.why}`,
      );
    return read.why;
  }
  return read.kind === 'absolute' ? 'it is absolute, with scheme or authority' : null;
}

/** The parameters of a page's link, also of one whose place is wrong; null where there is none to read. */
function usableLink(page: Page, view: View): { readonly parameters: ReturnType<typeof readQuery> } | null {
  if (typeof page.link !== 'string' || page.link === '') return null;
  const usable = view.linkOf(page);
  if (usable !== null) return usable;
  const question = page.link.indexOf('?');
  return { parameters: readQuery(question < 0 ? '' : (page.link.slice(question + 1).split('#')[0] ?? '')) };
}
