import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { Blocked, type Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { deepPage } from '../../src/judge/deep-pages.ts';
import { refusedWithValidToken } from '../../src/judge/expected-page.ts';
import { wholeTraversals } from '../../src/judge/list-traversals.ts';
import { blockedByMisstep, firstMisstep } from '../../src/judge/missteps.ts';
import {
  differenceFromLinkedPage,
  type PageByParameters,
  pagesByParameters,
} from '../../src/judge/pages-by-parameters.ts';
import { causeOfEarlyStop } from '../../src/judge/traversal-completeness.ts';
import { traversalName } from '../../src/judge/traversals.ts';
import { Violation } from '../../src/judge/violation.ts';
import { canonicalQuery } from '../../src/provider/link.ts';
import { type ListAnswer, othersIn } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

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
    await context.confirm({ atRest: true }, async (snapshot) => {
      let blocked: Undecided | null = null;
      for (const asked of await pagesByParameters(context, snapshot))
        await expectSamePage(context, snapshot, asked);
      await expectDeepPage(context, snapshot);
      for (const traversal of await wholeTraversals(context, snapshot)) {
        if (traversal.pageSize === null) continue;
        const misstep = firstMisstep(traversal);
        if (misstep !== null) blocked ??= blockedByMisstep(misstep);
        blocked ??= traversal.steps.length > 1 ? null : causeOfEarlyStop(traversal);
      }
      if (blocked !== null) throw blocked;
    });
  },
});

/** A page near the end of the list is not refused for its offset. */
async function expectDeepPage(context: CheckContext, snapshot: Snapshot): Promise<void> {
  const deep = await deepPage(context, snapshot);
  if (deep === null || deep.answer.kind === 'no-envelope') return;
  context.exercised();
  const { answer, pageSize, skip } = deep;
  if (answer.kind === 'page') return;
  const refused = (await wholeTraversals(context, snapshot)).find(({ end }) => end.kind === 'broken');
  const obstacle = refused === undefined ? null : causeOfEarlyStop(refused);
  if (obstacle !== null) throw obstacle;
  const first = await snapshot.first({ count: true, pageSize });
  if (answer.status === 401 || answer.status === 403)
    throw new Blocked('authorization/accepted', `${answer.target}: ${answer.why}`);
  if (first.kind !== 'page')
    throw new Blocked('page-size/filled', `$pagesize=${pageSize} is refused: ${first.why}`);
  throw new Violation({
    key: answer.target,
    message: `GET ${answer.target} is refused: ${answer.why}; the list holds records from there on, and ${first.target} is answered 200`,
    expected: 'status 200 with records of the list',
    actual: answer.why,
    counterexample: { pageSize, skip },
    exchanges: [answer.exchange, first.exchange],
  });
}

async function expectSamePage(
  context: CheckContext,
  snapshot: Snapshot,
  asked: PageByParameters,
): Promise<void> {
  const { traversal, step, skip, expected, isAligned } = asked;
  const answer = await snapshot.query(asked.query);
  // A refusal of an offset within a page shows nothing.
  if (isAligned || answer.kind === 'page') context.exercised();
  if (answer.kind === 'no-envelope') throw new Blocked('list/envelope', answer.why);
  const refused = answer.kind === 'refused' ? refusedWithValidToken(answer, snapshot.client) : null;
  if (refused !== null) throw refused;
  const difference = differenceFromLinkedPage(asked, answer);
  if (difference === null) return;
  const again = await snapshot.client.authorized(step.page.target, { after: step.page.exchange });
  if (again.kind === 'page' && again.count === step.page.count && othersIn(again, step.page) > 0)
    throw new Blocked(
      'traversal/no-duplicates',
      `GET ${again.target} gives other records when it is sent again: the order of the list changes between requests`,
    );
  const what = difference + (await missingRecord(context, snapshot, asked, answer));
  const place = `${isAligned ? '' : `record ${skip + 1} on `}page ${step.number} of ${traversalName(traversal)}`;
  throw new Violation({
    key: `${traversal.pageSize} ${skip}`,
    message: isAligned
      ? `GET ${answer.target} ${what}; the link to ${place} gives ${step.page.itemCount} records${orderNote(answer.target, step.page.target)}`
      : `GET ${answer.target} ${what}; the ${expected.length} requested records begin with ${place}`,
    expected: isAligned
      ? `the ${expected.length} records of page ${step.number}`
      : `${expected.length} records from record ${skip + 1} on`,
    actual: what,
    counterexample: { pageSize: traversal.pageSize, skip },
    exchanges: [answer.exchange, step.page.exchange],
  });
}

/** The name of a record that a page by its parameters lacks, to follow what it gives; empty if it has others in place of them. */
async function missingRecord(
  { list }: CheckContext,
  snapshot: Snapshot,
  { step, expected, isAligned }: PageByParameters,
  answer: ListAnswer,
): Promise<string> {
  if (!isAligned || answer.kind !== 'page' || answer.itemCount >= expected.length) return '';
  const given = list.identifiersIn(await snapshot.exchange(answer.target)).map(({ key }) => key);
  const linked = list.identifiersIn(await snapshot.exchange(step.page.target));
  const missing = linked.find(({ key }) => !given.includes(key));
  return missing === undefined ? '' : `, without record ${missing.name}`;
}

/** What to add if two requests differ in the order of their parameters only. */
function orderNote(target: string, linked: string): string {
  return target !== linked && canonicalQuery(target) === canonicalQuery(linked)
    ? ` for ${linked}, which has the same parameters in another order`
    : '';
}
