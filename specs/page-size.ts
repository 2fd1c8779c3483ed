import { Blocked } from '../src/core/undecided.ts';
import { check } from '../src/judge/check.ts';
import type { CheckContext, Property } from '../src/judge/context.ts';
import { type AskedPage, askedOf, judgeEveryPage, placeOf, sizeInForce } from '../src/judge/every-page.ts';
import {
  allOf,
  allWalks,
  countFalse,
  encodedQueries,
  expectPage,
  knownRecords,
  lengthOf,
  mainWalk,
  pageOf,
  type SizeCase,
  sizeCases,
  smallSize,
} from '../src/judge/evidence.ts';
import { Violation } from '../src/judge/findings.ts';
import { type Oversize, oversizeCases, oversizeQuery } from '../src/judge/oversize.ts';
import { MAXIMUM } from '../src/judge/sizes.ts';
import { hasMoreAfter, lastTelling, runsDry, soundSteps, walkName } from '../src/judge/walks.ts';
import { readQuery } from '../src/provider/link.ts';
import { othersIn, type Page, sameCount } from '../src/provider/page.ts';
import type { FirstPage, View } from '../src/provider/view.ts';

/** Chapter page-size (4.2, 4.3, 8). */
export const pageSize = [
  check('page-size/default', async (context) => {
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
  }),

  check('page-size/maximum', async (context) => {
    // No page of a shorter list can hold more than the maximum, whatever is asked for.
    if ((await lengthOf(context.view)) <= MAXIMUM) return;
    await context.property<Oversize>(
      {
        sample: 'oversize',
        atRest: false,
        examples: await oversizeCases(context, context.view),
        runs: context.options.suite === 'certify' ? 5 : 0,
        arbitrary: (fastCheck) =>
          fastCheck.record({
            pageSize: fastCheck.integer({ min: 501, max: 100_000 }).map(String),
            count: fastCheck.boolean(),
            encoded: fastCheck.boolean(),
            skip: fastCheck.constantFrom(0, 1),
          }),
        prepare: (view, value) => view.query(oversizeQuery(value)),
      },
      async (view, value) => {
        const answer = await view.query(oversizeQuery(value));
        context.exercised();
        if (answer.kind !== 'page' || answer.itemCount <= MAXIMUM) return;
        throw new Violation({
          key: oversizeQuery(value),
          message: `GET ${answer.target} was answered with ${answer.itemCount} records; no page holds more than ${MAXIMUM}`,
          expected: `at most ${MAXIMUM}`,
          actual: answer.itemCount,
          counterexample: { ...value },
          exchanges: [answer.exchange],
        });
      },
    );
  }),

  check('page-size/limit', async (context) => {
    await context.property(await sizes(context, false), (view, size) => expectAtMost(context, view, size));
    await context.settle({ atRest: false }, async (view) => {
      const disabled = await countFalse(context, view);
      const page = await view.first(disabled);
      const size = Number(disabled.pageSize ?? MAXIMUM);
      if (page.kind === 'page' && page.itemCount > size)
        throw new Violation({
          key: page.target,
          message: `${spoken(view, disabled)} was answered with ${page.itemCount} records; a page holds at most ${size}`,
          expected: `at most ${size}`,
          actual: page.itemCount,
          counterexample: { pageSize: size, count: false },
          exchanges: [page.exchange],
        });
      for (const walk of await allWalks(context, view)) {
        for (const { page, sizeInForce, number } of soundSteps(walk).slice(1)) {
          if (page.itemCount <= sizeInForce) continue;
          throw new Violation({
            key: `${walk.pageSize} page ${number}`,
            message: `page ${number} of ${walkName(walk)} holds ${page.itemCount} records; the page size in force is ${sizeInForce}`,
            expected: `at most ${sizeInForce}`,
            actual: page.itemCount,
            counterexample: { pageSize: sizeInForce, page: number },
            exchanges: [page.exchange],
          });
        }
      }
    });
    await judgeEveryPage(context, { atRest: false }, ({ page, pageSize, size }) => {
      // Without a size page-size/default speaks of it.
      if (pageSize === null || size === null || page.itemCount <= size) return null;
      return new Violation({
        key: page.target,
        message: `GET ${page.target} was answered with ${page.itemCount} records; a page holds at most ${size}`,
        expected: `at most ${size}`,
        actual: page.itemCount,
        counterexample: { request: page.target, pageSize: size },
        exchanges: [page.exchange],
      });
    });
  }),

  check('page-size/filled', async (context) => {
    await context.property(await sizes(context, true), (view, size) => expectFilled(context, view, size));
    await context.settle({ atRest: true }, async (view) => {
      const walks = await allWalks(context, view);
      for (const walk of walks) {
        for (const step of soundSteps(walk).slice(1)) {
          if (step.page.itemCount >= step.sizeInForce) continue;
          const holder = hasMoreAfter(walk, step) ? null : runsDry(walk, step, walks);
          if (holder === null && !hasMoreAfter(walk, step)) continue;
          const proof = holder === null ? walk.steps[step.number] : lastTelling(holder);
          const more =
            holder === null
              ? 'although more follow'
              : `and links on, although ${walkName(holder)} reaches ${holder.reached.beyond(walk.reached).length} that no page of this one gives`;
          throw new Violation({
            key: `${walk.pageSize} page ${step.number}`,
            message: `page ${step.number} of ${walkName(walk)} holds ${step.page.itemCount} records ${more}; a linked page but the last holds ${step.sizeInForce}`,
            expected: step.sizeInForce,
            actual: step.page.itemCount,
            counterexample: { pageSize: step.sizeInForce, page: step.number },
            exchanges: [step.page.exchange, ...(proof == null ? [] : [proof.page.exchange])],
          });
        }
      }
    });
    await judgeEveryPage(context, { atRest: true }, async (asked, view) => {
      const { page, pageSize, skip } = asked;
      const size = sizeInForce(asked) ?? (await sizeOfCounted(context, asked, view));
      const place = pageSize === null || size === null ? null : await placeOf(asked, view);
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
  }),

  check('page-size/encoded-name', async (context) => {
    await context.settle({ atRest: true }, async (view) => {
      const size = await smallSize(view);
      if (size < 1) return;
      const [plain, uncounted] = await allOf([
        pageOf(view, { count: true, pageSize: size }),
        pageOf(view, { pageSize: size }),
      ]);
      expectEffect(plain, size);
      const cases = encodedQueries(context, size);
      await Promise.allSettled(cases.map((query) => view.query(query)));
      for (const query of cases)
        await expectSame(context, view, { query, model: query.includes('count') ? plain : uncounted });
      // Where $count=true itself gives less than it should, so much less shows of its encoded spelling.
      if (plain.count === undefined) throw new Blocked('count/present', '$count=true gives no count');
      if (plain.link === undefined && size < (await knownRecords(view)))
        throw new Blocked('link/present-when-more', `$pagesize=${size} gives no nextPageLink`);
    });
  }),
];

/** Page sizes from 1 to 500 with and without `$count`: one sample for the rules that speak of every page size. */
async function sizes(context: CheckContext, atRest: boolean): Promise<Property<SizeCase>> {
  return {
    sample: 'page sizes',
    atRest,
    examples: await sizeCases(context, context.view),
    runs: null,
    // Draws nothing: it is what a breach is shrunk by.
    arbitrary: (fastCheck) =>
      fastCheck.record({ pageSize: fastCheck.integer({ min: 1, max: MAXIMUM }), count: fastCheck.boolean() }),
    prepare: (view, value) => view.first(asked(value)),
  };
}

/** The page size that was applied to the same call with $count=true, as its link says; null where that says nothing. */
async function sizeOfCounted(
  context: CheckContext,
  { pageSize, skip }: AskedPage,
  view: View,
): Promise<number | null> {
  const target = `${view.client.path}?$count=true&$pagesize=${pageSize}${skip > 0 ? `&$skip=${skip}` : ''}`;
  // Only where it is asked for anyway.
  if (!context.view.pages().some((page) => page.target === target)) return null;
  const counted = await view.at(target);
  const asked = counted.kind === 'page' ? askedOf(counted) : null;
  return asked === null ? null : sizeInForce(asked);
}

function asked({ pageSize: size, count }: SizeCase): FirstPage {
  return count ? { count, pageSize: size } : { pageSize: size };
}

async function expectAtMost(context: CheckContext, view: View, value: SizeCase): Promise<void> {
  const size = value.pageSize;
  const page = await pageOf(view, asked(value));
  if (size < (await knownRecords(view))) context.exercised();
  if (page.itemCount <= size) return;
  throw new Violation({
    key: `${size} ${value.count}`,
    message: `${spoken(view, asked(value))} was answered with ${page.itemCount} records; a page holds at most ${size}`,
    expected: `at most ${size}`,
    actual: page.itemCount,
    counterexample: { pageSize: size, count: value.count },
    exchanges: [page.exchange],
  });
}

async function expectFilled(context: CheckContext, view: View, value: SizeCase): Promise<void> {
  const walk = await mainWalk(view);
  const known = await knownRecords(view);
  const expected = Math.min(value.pageSize, known);
  const answer = await view.first(asked(value));
  if (answer.kind === 'refused') await expectTheListIsOpen(view, answer.why, value.count);
  if (answer.kind === 'no-envelope') await expectPage(view, answer, asked(value));
  if (known > 0) context.exercised();
  if (answer.kind === 'page' && answer.itemCount >= expected) return;
  if (answer.kind === 'page') await expectSizeToMatter(context, view, answer.itemCount);
  throw new Violation({
    key: `${value.pageSize} ${value.count}`,
    message:
      answer.kind === 'page'
        ? `${spoken(view, asked(value))} was answered with ${answer.itemCount} records; a first page holds ${expected} of the ${known} that the list holds`
        : `${spoken(view, asked(value))} was answered ${answer.status}; a first page holds ${expected} records`,
    expected,
    actual: answer.kind === 'page' ? answer.itemCount : `status ${answer.status}`,
    counterexample: { pageSize: value.pageSize, count: value.count },
    exchanges: [answer.exchange, ...walk.steps.slice(-1).map((step) => step.page.exchange)],
  });
}

async function expectTheListIsOpen(view: View, why: string, count: boolean): Promise<void> {
  const plain = await view.first({});
  if (plain.kind === 'refused')
    throw new Blocked('authorization/accepted', `the list call with a valid token is refused: ${why}`);
  if (count && (await view.first({ count: true })).kind === 'refused')
    throw new Blocked('count/present', `$count=true is refused whatever the page size: ${why}`);
}

// A page size that is ignored shows twice: small ones get too many, large ones too few. The first names the cause.
async function expectSizeToMatter(context: CheckContext, view: View, length: number): Promise<void> {
  if (length <= 1) return;
  const small = await view.first({ count: true, pageSize: 1 });
  if (small.kind === 'page' && small.itemCount === length && context.options.suite !== 'smoke') {
    throw new Blocked(
      'page-size/limit',
      `$pagesize is ignored: a page holds ${length} records whatever is asked for`,
    );
  }
}

function spoken(view: View, first: FirstPage): string {
  return `GET ${view.targetOf(first)}`;
}

// Where $pagesize itself has no effect, its encoded spelling cannot be told from an unknown parameter.
function expectEffect(page: Page, size: number): void {
  if (page.itemCount > size) throw new Blocked('page-size/limit', `$pagesize=${size} has no effect`);
  if (page.itemCount < size)
    throw new Blocked('page-size/filled', `$pagesize=${size} gives ${page.itemCount} records`);
  if (page.count === undefined && page.link === undefined)
    throw new Blocked('count/present', '$count=true has no effect');
}

async function expectSame(
  context: CheckContext,
  view: View,
  { query, model }: { readonly query: string; readonly model: Page },
): Promise<void> {
  const answer = await view.query(query);
  context.exercised();
  const differs = (what: string, expected: string | number, actual: string | number): Violation =>
    new Violation({
      key: query,
      message: `GET ${answer.target} gives ${what} ${actual} where ${model.target} gives ${expected}; %24 stands for $`,
      expected,
      actual,
      counterexample: { query },
      exchanges: [answer.exchange, model.exchange],
    });
  if (answer.kind === 'no-envelope') throw new Blocked('list/envelope', answer.why);
  if (answer.kind === 'refused') throw differs('status', 200, answer.status);
  if (answer.itemCount !== model.itemCount)
    throw differs('a number of records of', model.itemCount, answer.itemCount);
  const given = (page: Page, name: 'link' | 'count'): string => (page[name] === undefined ? 'none' : 'one');
  if (given(answer, 'count') !== given(model, 'count'))
    throw differs('a count:', given(model, 'count'), given(answer, 'count'));
  if (given(answer, 'link') !== given(model, 'link'))
    throw differs('a nextPageLink:', given(model, 'link'), given(answer, 'link'));
  if (!sameCount(answer.count, model.count))
    throw differs('a count of', String(model.count), String(answer.count));
  const [link, modelLink] = [parametersOf(answer), parametersOf(model)];
  if (modelLink !== null && link !== null && link !== modelLink)
    throw differs('a nextPageLink with', modelLink, link);
  if (othersIn(answer, model) === 0) return;
  // Which records a first page holds is open where the same request gives others each time.
  const again = await view.client.authorized(model.target);
  if (again.kind !== 'page' || othersIn(again, model) > 0) return;
  throw differs('as its records', 'the first of the list', 'others');
}

/** What a link asks for, in one spelling and order, wherever it leads; null where there is none. */
function parametersOf({ link }: Page): string | null {
  if (typeof link !== 'string' || !link.includes('?')) return null;
  return readQuery(link.slice(link.indexOf('?') + 1))
    .filter(({ name }) => ['$count', '$pagesize', '$skip'].includes(name))
    .map(({ name, value }) => `${name}=${value}`)
    .sort()
    .join('&');
}
