import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { Blocked, type Undecided } from '../../src/core/undecided.ts';
import { type ByParameters, pagesByParameters, unlikeTheLinked } from '../../src/judge/by-parameters.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { wholeWalks } from '../../src/judge/evidence.ts';
import { Violation } from '../../src/judge/findings.ts';
import { causedBy, cutShort, firstMisstep, walkName } from '../../src/judge/walks.ts';
import type { View } from '../../src/provider/view.ts';

export const traversalByParameters = requirement({
  id: 'traversal/by-parameters',
  clause: ['4.3.3'],
  smoke: false,
  rule: prose`A page that the client requests with its own $count, $pagesize and $skip holds the same records as the linked
    page.`,
  needs: MORE_THAN_ONE_PAGE,
  tested: prose`Builds the query of several pages itself, without reading the links, and compares the identifiers with those of
    the linked pages.`,
  breach: 'Parameters for the same page return other records, or are refused.',
  causes: prose`$skip is read as a number of pages, or only together with an internal parameter of the link. Linked pages have
    another order than first pages. $skip is bounded more strictly for clients than for links.`,
  fix: prose`Read $count, $pagesize and $skip from the query in the same way for links and clients. Put nothing into a link
    that such a query lacks.`,
  judge: async (context) => {
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
  },
});

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
