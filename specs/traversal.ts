import { Blocked, Undecided } from '../src/core/undecided.ts';
import { type ByParameters, pagesByParameters, unlikeTheLinked } from '../src/judge/by-parameters.ts';
import { check } from '../src/judge/check.ts';
import type { CheckContext } from '../src/judge/context.ts';
import { type Double, doubleIn, seemsDoubled } from '../src/judge/doubles.ts';
import { strayLink } from '../src/judge/every-page.ts';
import { firstPages, walksInTurn, wholeWalks } from '../src/judge/evidence.ts';
import { type Breach, Violation } from '../src/judge/findings.ts';
import { goesOn } from '../src/judge/links-on.ts';
import {
  causedBy,
  cutShort,
  doubtful,
  firstMisstep,
  lastTelling,
  notWhole,
  walkName,
  wrongQuery,
} from '../src/judge/walks.ts';
import type { Identities } from '../src/provider/identity.ts';
import type { Page } from '../src/provider/page.ts';
import type { View } from '../src/provider/view.ts';
import type { Step, Walk } from '../src/provider/walk.ts';

/** Chapter traversal: the list as a whole, followed page by page (4.3). */
export const traversal = [
  check('traversal/followable', async (context) => {
    await context.settle({ atRest: true }, async (view) => {
      let followed: Undecided | null = null;
      for await (const walk of walksInTurn(context, view, { whole: false })) {
        if (walk.steps.length > 1) context.exercised();
        // What a link leads to that was not followed is not known.
        if (['unusable', 'runaway', 'limit'].includes(walk.end.kind)) followed ??= cutShort(walk);
        if (walk.end.kind !== 'broken') continue;
        const last = walk.steps.at(-1);
        if (last === undefined) {
          followed ??= cutShort(walk);
          continue;
        }
        const misstep = firstMisstep(walk);
        const lost = misstep?.requirement === 'link/offset' && misstep.step === last;
        const astray = wrongQuery(walk, last) ?? (lost ? misstep : null);
        if (astray !== null) {
          followed ??= causedBy(astray);
          continue;
        }
        if (last.page.count === last.given && last.given >= (await mostOnAPage(context, view))) {
          followed ??= new Blocked(
            'link/absent-at-the-end',
            `the link of ${last.page.target} leads past the last record`,
          );
          continue;
        }
        const { answer } = walk.end;
        throw new Violation({
          key: `${walk.pageSize} ${answer.target}`,
          message: `the nextPageLink of page ${last.number} of ${walkName(walk)}, followed as given, is no list page: ${answer.why}`,
          expected: 'status 200 with a list envelope',
          actual: answer.why,
          counterexample: { pageSize: walk.pageSize, page: last.number + 1 },
          exchanges: [answer.exchange, last.page.exchange],
        });
      }
      followed ??= await strayLink(context, view);
      if (followed !== null) throw followed;
    });
  }),

  check('traversal/terminates', async (context) => {
    await context.settle({ atRest: true }, async (view) => {
      for await (const walk of walksInTurn(context, view, { whole: true })) {
        const last = walk.steps.at(-1);
        const misstep = firstMisstep(walk);
        if (misstep?.requirement === 'link/query') throw causedBy(misstep);
        if (walk.end.kind === 'circle')
          throw endless(walk, `the link of page ${last?.number} leads back to page ${walk.end.backTo}`, null);
        if (walk.end.kind === 'runaway')
          throw endless(walk, nothingNew(walk.end.pages), await goesOn(view, walk));
        if (walk.end.kind === 'limit')
          throw new Undecided(
            { kind: 'limit', limit: walk.end.limit },
            `${walkName(walk)} did not come to its end: ${walk.end.why}`,
          );
        const cut = cutShort(walk);
        if (cut !== null) throw cut;
        const telling = lastTelling(walk);
        if (telling !== null && telling.number < walk.steps.length) {
          throw new Blocked(
            'link/absent-at-the-end',
            `page ${telling.number} of ${walkName(walk)} holds the last record and links to a further page`,
          );
        }
        context.exercised();
      }
      const stray = await strayLink(context, view);
      if (stray !== null) throw stray;
    });
  }),

  check('traversal/no-duplicates', async (context) => {
    await context.settle({ atRest: true }, async (view) => {
      let followed: Undecided | null = null;
      for await (const walk of walksInTurn(context, view, { whole: false })) {
        const misstep = firstMisstep(walk);
        const steps = misstep === null ? walk.steps : walk.steps.slice(0, misstep.step.number);
        if (misstep !== null) followed ??= causedBy(misstep);
        const double = await doubleIn(view, steps);
        if (double === 'unidentified')
          throw new Blocked(
            'list/items',
            `items of ${walkName(walk)} have no ${context.list.resource.idField}`,
          );
        if (walk.reached.size > 1) context.exercised();
        if (double !== null) throw duplicate(walk, double);
      }
      if (followed !== null) throw followed;
    });
  }),

  check('traversal/same-records', async (context) => {
    await context.settle({ atRest: true }, async (view) => {
      const { whole, obstacle } = await wholeOnes(context, view);
      const paged = whole.filter((walk) => walk.steps.length > 1);
      if (paged.length === 0 || whole.length < 2) {
        if (obstacle !== null) throw obstacle;
        return;
      }
      const fullest = whole.reduce((most, walk) => (walk.reached.size > most.reached.size ? walk : most));
      const breaches: Breach[] = [];
      for (const walk of whole) {
        if (walk === fullest) continue;
        context.exercised();
        const missing = fullest.reached.beyond(walk.reached);
        const further = walk.reached.beyond(fullest.reached);
        if (missing.length === 0 && further.length === 0) continue;
        if (seemsDoubled(walk.steps)) {
          throw new Blocked(
            'traversal/no-duplicates',
            `${walkName(walk)} gives records twice and others not at all`,
          );
        }
        breaches.push(await unlike(view, { fullest, walk, missing, further }));
      }
      if (breaches.length === 0) breaches.push(...(await strangers(context, view, whole)));
      if (breaches.length > 0) throw new Violation(breaches);
      if (obstacle !== null) throw obstacle;
    });
  }),

  check('traversal/by-parameters', async (context) => {
    await context.settle({ atRest: true }, async (view) => {
      let followed: Undecided | null = null;
      for (const asked of await pagesByParameters(context, view)) await expectSamePage(context, view, asked);
      for (const walk of await wholeWalks(context, view)) {
        if (walk.pageSize === null) continue;
        const misstep = firstMisstep(walk);
        if (misstep !== null) followed ??= causedBy(misstep);
        followed ??= walk.steps.length > 1 ? null : cutShort(walk);
      }
      if (followed !== null) throw followed;
    });
  }),
];

/** Records that the fullest first page holds: a list has no fewer, whatever is counted. */
async function mostOnAPage(context: CheckContext, view: View): Promise<number> {
  const firsts = await firstPages(context, view);
  return Math.max(...firsts.map(({ answer }) => (answer.kind === 'page' ? answer.itemCount : 0)));
}

function endless(walk: Walk, what: string, far: Page | null): Violation {
  const last = walk.steps.at(-1);
  const how = far === null ? what : `${what}; ${far.target} gives nothing new either, and links on`;
  return new Violation({
    key: `${walk.pageSize} ${walk.end.kind}`,
    message: `${walkName(walk)} does not end: ${how}`,
    expected: 'links that end with the last record',
    actual: how,
    counterexample: { pageSize: walk.pageSize, page: last?.number ?? 0 },
    exchanges: [
      ...walk.steps.slice(-2).map((step) => step.page.exchange),
      ...(far === null ? [] : [far.exchange]),
    ],
  });
}

function nothingNew(pages: number): string {
  return pages === 1
    ? 'the last linked page gives nothing new, and is linked on'
    : `the last ${pages} linked pages give nothing new, and are linked on`;
}

function duplicate(walk: Walk, { identifier, first, second, exchanges }: Double): Violation {
  const name = identifier === null ? 'a record' : `record ${identifier.name}`;
  const [one, other] = [first.number, second.number];
  const where = one === other ? `twice on page ${one}` : `on page ${one} and again on page ${other}`;
  return new Violation({
    key: `${walk.pageSize} ${identifier?.key} ${one} ${other}`,
    message: `${walkName(walk)} gives ${name} ${where}; no identifier appears twice`,
    expected: 'every identifier once',
    actual: `${name} ${where}`,
    counterexample: { pageSize: walk.pageSize, pages: [one, other] },
    exchanges,
    ...(identifier === null ? { suspected: true } : {}),
  });
}

async function wholeOnes(
  context: CheckContext,
  view: View,
): Promise<{ readonly whole: readonly Walk[]; readonly obstacle: Undecided | null }> {
  const whole: Walk[] = [];
  let obstacle: Undecided | null = null;
  const walks = await wholeWalks(context, view);
  for (const walk of walks) {
    const misstep = firstMisstep(walk);
    // Where pages are not filled, links may lead past the records that were left out.
    const why =
      (await notWhole(view, walk, walks)) ??
      (await doubtful(view, walk)) ??
      (misstep === null ? null : causedBy(misstep));
    if (why === null) whole.push(walk);
    else obstacle ??= why;
  }
  return { whole, obstacle };
}

async function unlike(
  view: View,
  {
    fullest,
    walk,
    missing,
    further,
  }: {
    readonly fullest: Walk;
    readonly walk: Walk;
    readonly missing: Identities;
    readonly further: Identities;
  },
): Promise<Breach> {
  const parts = [
    ...(missing.length > 0 ? [`misses ${missing.length} records that ${walkName(fullest)} reaches`] : []),
    ...(further.length > 0 ? [`reaches ${further.length} that ${walkName(fullest)} misses`] : []),
  ];
  // Where each holds what the other misses: data that moves to and fro cannot give both again.
  const holders = [holderOf(fullest, missing[0]), holderOf(walk, further[0])];
  const last = walk.steps.at(-1);
  return {
    key: `${walk.pageSize} ${missing.slice(0, 1000).join()} ${further.slice(0, 1000).join()}`,
    message: `${walkName(walk)} ${parts.join(' and ')}; every page size reaches the same records`,
    expected: fullest.reached.size,
    actual: walk.reached.size,
    counterexample: { pageSize: walk.pageSize, against: fullest.pageSize, list: view.client.resource.name },
    exchanges: [...new Set([last, ...holders])].flatMap((step) =>
      step === undefined ? [] : [step.page.exchange],
    ),
  };
}

function holderOf(walk: Walk, identity: bigint | undefined): Step | undefined {
  return walk.steps.find(({ page }) => identity !== undefined && page.identities.includes(identity));
}

/** First pages with records that no whole walk reaches: a walk with their page size would reach other records. */
async function strangers(
  context: CheckContext,
  view: View,
  whole: readonly Walk[],
): Promise<readonly Breach[]> {
  for (const { first, answer } of await firstPages(context, view)) {
    if (answer.kind !== 'page') continue;
    if (whole.some((walk) => walk.reached.lacking(answer.identities) === 0)) continue;
    const stranger = answer.identities.find((identity) => whole.every((walk) => !walk.reached.has(identity)));
    if (stranger === undefined || stranger === 0n) continue;
    const walk = whole[0];
    return [
      {
        key: `${answer.target} ${stranger}`,
        message: `GET ${answer.target} gives a record that ${walk === undefined ? 'no walk' : walkName(walk)} never reaches; every page size reaches the same records`,
        expected: 'records that every walk reaches',
        actual: 'another record',
        counterexample: { pageSize: first.pageSize ?? null },
        exchanges: [answer.exchange],
      },
    ];
  }
  return [];
}

async function expectSamePage(context: CheckContext, view: View, asked: ByParameters): Promise<void> {
  const { walk, step, skip, expected, isAligned } = asked;
  const answer = await view.query(asked.query);
  // What is refused from within a page shows nothing.
  if (isAligned || answer.kind === 'page') context.exercised();
  if (answer.kind === 'no-envelope') throw new Blocked('list/envelope', answer.why);
  const what = unlikeTheLinked(asked, answer);
  if (what === null) return;
  const where = `${isAligned ? '' : `record ${skip + 1} on `}page ${step.number} of ${walkName(walk)}`;
  throw new Violation({
    key: `${walk.pageSize} ${skip}`,
    message: isAligned
      ? `GET ${answer.target} ${what}; the link to ${where} gives ${step.page.itemCount} records`
      : `GET ${answer.target} ${what}; the ${expected.length} records asked for begin with ${where}`,
    expected: isAligned
      ? `the ${expected.length} records of page ${step.number}`
      : `${expected.length} records from record ${skip + 1} on`,
    actual: what,
    counterexample: { pageSize: walk.pageSize, skip },
    exchanges: [answer.exchange, step.page.exchange],
  });
}
