import { prose } from '../../src/core/prose.ts';
import { Blocked, Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { expectEndlessLinks } from '../../src/judge/endless-traversal.ts';
import { findLinkPastEnd } from '../../src/judge/link-past-end.ts';
import { traversalsMainFirst } from '../../src/judge/list-traversals.ts';
import { blockedByMisstep, firstMisstep } from '../../src/judge/missteps.ts';
import { causeOfEarlyStop } from '../../src/judge/traversal-completeness.ts';
import { lastStepWithNewRecords, traversalName } from '../../src/judge/traversals.ts';
import { Violation } from '../../src/judge/violation.ts';
import type { Page } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';
import type { Traversal } from '../../src/provider/traversal.ts';

export const traversalTerminates = requirement({
  id: 'traversal/terminates',
  clause: ['4.3.2', '4.3.3'],
  smoke: true,
  rule: prose`Following the links comes to an end: no link leads back to a visited page, and no page after the last record is
    linked.`,
  needs: null,
  tested: prose`Traverses the list with several page sizes, remembers every page, and stops at the first one that repeats or
    that is past the last record. If links continue without new records, Assay requests a page past any list to find
    out whether they ever end. A link behind the last record that no traversal follows leaves the verdict open.`,
  breach:
    'A circle, a link to the page itself, the first page again after the last, or empty pages without end.',
  causes: prose`$skip is not read, so each link returns the first page. $skip wraps around at the end. A link is built even for
    an empty page. A cache answers page two with page one.`,
  fix: prose`Increase the offset with every page, read $skip as the link writes it, and stop giving a link when the total is
    reached.`,
  judge: async (context) => {
    await context.confirm({ atRest: true }, async (snapshot) => {
      let blocked: Undecided | null = null;
      for await (const traversal of traversalsMainFirst(context, snapshot, { whole: true })) {
        const obstacle = await expectEnd(snapshot, traversal);
        if (obstacle === null) context.exercised();
        else blocked ??= obstacle;
      }
      blocked ??= await findLinkPastEnd(context, snapshot);
      if (blocked !== null) throw blocked;
    });
  },
});

/** Throws Violation for a traversal that does not end; returns why it shows nothing, or null if it ends. */
async function expectEnd(snapshot: Snapshot, traversal: Traversal): Promise<Undecided | null> {
  const last = traversal.steps.at(-1);
  const misstep = firstMisstep(traversal);
  if (misstep?.requirement === 'link/query') return blockedByMisstep(misstep);
  if (traversal.end.kind === 'circle')
    throw endless(
      traversal,
      `the link of page ${last?.number} leads back to page ${traversal.end.backTo}`,
      null,
    );
  if (traversal.end.kind === 'runaway') {
    const far = await expectEndlessLinks(snapshot, traversal).catch((error: unknown) => {
      if (error instanceof Blocked) return error;
      throw error;
    });
    if (far instanceof Blocked) return far;
    throw endless(traversal, nothingNew(traversal.end.pages), far);
  }
  if (traversal.end.kind === 'limit')
    return new Undecided(
      { kind: 'limit', limit: traversal.end.limit },
      `${traversalName(traversal)} did not reach its end: ${traversal.end.why}`,
    );
  const cut = causeOfEarlyStop(traversal);
  if (cut !== null) return cut;
  const lastNew = lastStepWithNewRecords(traversal);
  if (lastNew === null || lastNew.number === traversal.steps.length) return null;
  return new Blocked(
    'link/absent-at-the-end',
    `page ${lastNew.number} of ${traversalName(traversal)} holds the last record and gives a nextPageLink`,
  );
}

function endless(traversal: Traversal, what: string, far: Page | null): Violation {
  const last = traversal.steps.at(-1);
  const how = far === null ? what : `${what}; ${far.target} gives nothing new either and has a link`;
  return new Violation({
    key: `${traversal.pageSize} ${traversal.end.kind}`,
    message: `${traversalName(traversal)} does not end: ${how}`,
    expected: 'links that end with the last record',
    actual: how,
    counterexample: { pageSize: traversal.pageSize, page: last?.number ?? 0 },
    exchanges: [
      ...traversal.steps.slice(-2).map((step) => step.page.exchange),
      ...(far === null ? [] : [far.exchange]),
    ],
  });
}

function nothingNew(pages: number): string {
  return pages === 1
    ? 'the last linked page gives no new records and has a link'
    : `the last ${pages} linked pages give no new records and have links`;
}
