import { prose } from '../../src/core/prose.ts';
import { Blocked, Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { strayLink } from '../../src/judge/every-page.ts';
import { walksInTurn } from '../../src/judge/evidence.ts';
import { Violation } from '../../src/judge/findings.ts';
import { goesOn } from '../../src/judge/links-on.ts';
import { causedBy, cutShort, firstMisstep, lastTelling, walkName } from '../../src/judge/walks.ts';
import type { Page } from '../../src/provider/page.ts';
import type { Walk } from '../../src/provider/traversal.ts';

export const traversalTerminates = requirement({
  id: 'traversal/terminates',
  clause: ['4.3.2', '4.3.3'],
  smoke: true,
  rule: prose`Following the links comes to an end: no link leads back to a visited page, and no page after the last record is
    linked.`,
  needs: null,
  tested: prose`Traverses the list with several page sizes, remembers every page, and stops at the first one that repeats or
    that is past the last record. If links continue without new records, Assay requests a page past any list to find
    out whether they ever end.`,
  breach:
    'A circle, a link to the page itself, the first page again after the last, or empty pages without end.',
  causes: prose`$skip is not read, so each link returns the first page. $skip wraps around at the end. A link is built even for
    an empty page. A cache answers page two with page one.`,
  fix: prose`Increase the offset with every page, read $skip as the link writes it, and stop giving a link when the total is
    reached.`,
  judge: async (context) => {
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
  },
});

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
