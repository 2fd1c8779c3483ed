import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { Blocked, type Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { mayHoldDuplicates } from '../../src/judge/duplicate-records.ts';
import { firstPages } from '../../src/judge/first-pages.ts';
import { wholeTraversals } from '../../src/judge/list-traversals.ts';
import { causeOfDoubtfulEnd } from '../../src/judge/missing-link.ts';
import { blockedByMisstep, firstMisstep } from '../../src/judge/missteps.ts';
import { causeOfIncompleteness } from '../../src/judge/traversal-completeness.ts';
import { traversalName } from '../../src/judge/traversals.ts';
import { type Breach, Violation } from '../../src/judge/violation.ts';
import type { Identities } from '../../src/provider/identity.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';
import type { Step, Traversal } from '../../src/provider/traversal.ts';

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
    await context.confirm({ atRest: true }, async (snapshot) => {
      const { whole, obstacle } = await wholeOnes(context, snapshot);
      const paged = whole.filter((traversal) => traversal.steps.length > 1);
      if (paged.length === 0 || whole.length < 2) {
        if (obstacle !== null) throw obstacle;
        return;
      }
      const fullest = whole.reduce((most, traversal) =>
        traversal.reached.size > most.reached.size ? traversal : most,
      );
      const breaches: Breach[] = [];
      for (const traversal of whole) {
        if (traversal === fullest) continue;
        context.exercised();
        const missing = fullest.reached.beyond(traversal.reached);
        const further = traversal.reached.beyond(fullest.reached);
        if (missing.length === 0 && further.length === 0) continue;
        if (mayHoldDuplicates(traversal.steps)) {
          throw new Blocked(
            'traversal/no-duplicates',
            `${traversalName(traversal)} gives records twice and others not at all`,
          );
        }
        breaches.push(await unlike(snapshot, { fullest, traversal, missing, further }));
      }
      if (breaches.length === 0) breaches.push(...(await strangers(context, snapshot, whole)));
      if (breaches.length > 0) throw new Violation(breaches);
      if (obstacle !== null) throw obstacle;
    });
  },
});

async function wholeOnes(
  context: CheckContext,
  snapshot: Snapshot,
): Promise<{ readonly whole: readonly Traversal[]; readonly obstacle: Undecided | null }> {
  const whole: Traversal[] = [];
  let obstacle: Undecided | null = null;
  const traversals = await wholeTraversals(context, snapshot);
  for (const traversal of traversals) {
    const misstep = firstMisstep(traversal);
    // Where pages are not filled, links may lead past the records that were left out.
    const why =
      (await causeOfIncompleteness(snapshot, traversal, traversals)) ??
      (await causeOfDoubtfulEnd(snapshot, traversal)) ??
      (misstep === null ? null : blockedByMisstep(misstep));
    if (why === null) whole.push(traversal);
    else obstacle ??= why;
  }
  return { whole, obstacle };
}

async function unlike(
  snapshot: Snapshot,
  {
    fullest,
    traversal,
    missing,
    further,
  }: {
    readonly fullest: Traversal;
    readonly traversal: Traversal;
    readonly missing: Identities;
    readonly further: Identities;
  },
): Promise<Breach> {
  const parts = [
    ...(missing.length > 0
      ? [`misses ${missing.length} records that ${traversalName(fullest)} reaches`]
      : []),
    ...(further.length > 0 ? [`reaches ${further.length} that ${traversalName(fullest)} misses`] : []),
  ];
  // Where each holds what the other misses: data that moves to and fro cannot give both again.
  const holders = [holderOf(fullest, missing[0]), holderOf(traversal, further[0])];
  const last = traversal.steps.at(-1);
  return {
    key: `${traversal.pageSize} ${missing.slice(0, 1000).join()} ${further.slice(0, 1000).join()}`,
    message: `${traversalName(traversal)} ${parts.join(' and ')}; every page size reaches the same records`,
    expected: fullest.reached.size,
    actual: traversal.reached.size,
    counterexample: {
      pageSize: traversal.pageSize,
      against: fullest.pageSize,
      list: snapshot.client.resource.name,
    },
    exchanges: [...new Set([last, ...holders])].flatMap((step) =>
      step === undefined ? [] : [step.page.exchange],
    ),
  };
}

function holderOf(traversal: Traversal, identity: bigint | undefined): Step | undefined {
  return traversal.steps.find(({ page }) => identity !== undefined && page.identities.includes(identity));
}

/** First pages with records that no whole traversal reaches: a traversal with their page size would reach other records. */
async function strangers(
  context: CheckContext,
  snapshot: Snapshot,
  whole: readonly Traversal[],
): Promise<readonly Breach[]> {
  for (const { first, answer } of await firstPages(context, snapshot)) {
    if (answer.kind !== 'page') continue;
    if (whole.some((traversal) => traversal.reached.lacking(answer.identities) === 0)) continue;
    const stranger = answer.identities.find((identity) =>
      whole.every((traversal) => !traversal.reached.has(identity)),
    );
    if (stranger === undefined || stranger === 0n) continue;
    const traversal = whole[0];
    return [
      {
        key: `${answer.target} ${stranger}`,
        message: `GET ${answer.target} gives a record that ${traversal === undefined ? 'no traversal' : traversalName(traversal)} never reaches; every page size reaches the same records`,
        expected: 'records that every traversal reaches',
        actual: 'another record',
        counterexample: { pageSize: first.pageSize ?? null },
        exchanges: [answer.exchange],
      },
    ];
  }
  return [];
}
