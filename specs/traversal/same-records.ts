import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { Blocked, type Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { seemsDoubled } from '../../src/judge/doubles.ts';
import { firstPages, wholeWalks } from '../../src/judge/evidence.ts';
import { type Breach, Violation } from '../../src/judge/findings.ts';
import { causedBy, doubtful, firstMisstep, notWhole, walkName } from '../../src/judge/walks.ts';
import type { Identities } from '../../src/provider/identity.ts';
import type { Step, Walk } from '../../src/provider/traversal.ts';
import type { View } from '../../src/provider/view.ts';

export const traversalSameRecords = requirement({
  id: 'traversal/same-records',
  clause: ['4.3.2', '4.3.3'],
  smoke: false,
  rule: 'Traversals with different page sizes reach the same set of records.',
  needs: MORE_THAN_ONE_PAGE,
  tested: prose`Compares the sets of identifiers of traversals with different page sizes, if the data was at rest before and
    after.`,
  breach: 'A record appears with one page size and not with another.',
  causes: prose`An unstable order. Border rows are left out (an exclusive bound, an offset that is one too high). Filters or
    de-duplication run after the limit. The list is cut off after a fixed number of pages.`,
  fix: prose`Use one query and one order for all page sizes, count $skip in records, and apply paging last, before the
    projection only.`,
  judge: async (context) => {
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
  },
});

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
