import { MORE_THAN_ONE_RECORD } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import type { RequirementId } from '../../src/core/requirement-id.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { expectFirstPage, refusedWithValidToken } from '../../src/judge/expected-page.ts';
import { isInPlace } from '../../src/judge/list-facts.ts';
import {
  ENCODED_COUNT,
  encodedQueries,
  encodedUncountedQuery,
  smallPageSize,
  uncountedFirstPage,
} from '../../src/judge/probes/first-pages.ts';
import { countKnownRecords } from '../../src/judge/probes/list-traversals.ts';
import { pagesByParameters } from '../../src/judge/probes/pages-by-parameters.ts';
import { queryFaults, sentenceOf } from '../../src/judge/proofs/missteps.ts';
import { Violation } from '../../src/judge/violation.ts';
import { hasParameter, linkParameters, parametersOf } from '../../src/provider/link.ts';
import { othersIn, type Page, sameCount } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

export const pageSizeEncodedName = requirement({
  id: 'page-size/encoded-name',
  clause: ['4.2'],
  smoke: true,
  rule: prose`%24count and %24pagesize, both encoded or one of them with a plain $ in the other, are answered like $count and
    $pagesize.`,
  needs: MORE_THAN_ONE_RECORD,
  tested: prose`Sends the same request with the names spelled in four ways, byte for byte, each encoded name once as
    the first and once as the second parameter, and %24count alone; with $pagesize also $skip, and all three. Compares
    the number of items, count and the parameters of nextPageLink, and the records if the same request returns the
    same records twice. If answers differ now and then, requests both spellings in turn, 63 times.`,
  breach: 'The encoded spelling is ignored (a full page, no count, no link) or refused.',
  causes: prose`Query names are compared before they are decoded, in a gateway rule, a hand-written parser or a cache key. A
    proxy encodes the percent sign again (%2524). A firewall blocks encoded dollar signs.`,
  fix: 'Decode names once, before they are compared. Let gateway and firewall pass %24.',
  judge: async (given) => {
    const context: Tested = { ...given, proven: [] };
    try {
      await context.confirm({ atRest: true }, (snapshot) => expectSameAnswers(context, snapshot));
    } catch (error) {
      if (error instanceof Violation) throw error;
      throw context.proven[0] ?? error;
    }
    const [proven] = context.proven;
    if (proven !== undefined) throw proven;
  },
});

/** The context with the breaches that several answers proved on a snapshot: they may not show on the next one. */
interface Tested extends CheckContext {
  readonly proven: Violation[];
}

async function expectSameAnswers(context: Tested, snapshot: Snapshot): Promise<void> {
  const size = await smallPageSize(context, snapshot);
  if (size < 1) return;
  const plain = await expectFirstPage(snapshot, { count: true, pageSize: size });
  expectEffect(plain, size);
  const cases = encodedQueries(context, size);
  await Promise.allSettled(cases.map((query) => snapshot.query(query)));
  for (const query of cases) await expectSame(context, snapshot, { query, model: plain });
  if (context.options.suite !== 'smoke') {
    const model = await expectFirstPage(snapshot, { count: true });
    await expectSame(context, snapshot, { query: ENCODED_COUNT, model });
  }
  await expectSameUncountedPage(context, snapshot, size);
  if (context.options.suite !== 'smoke') await expectSameLinkedPage(context, snapshot);
  // If $count=true itself gives no count or link, its encoded spelling is tested only in part.
  if (plain.count === undefined) throw new Blocked('count/present', '$count=true gives no count');
  if (plain.link === undefined && size < (await countKnownRecords(snapshot)))
    throw new Blocked('link/present-when-more', `$pagesize=${size} gives no nextPageLink`);
}

/** A page without `$count`, from within the list if the provider reads `$skip` without `$count`. */
async function expectSameUncountedPage(context: Tested, snapshot: Snapshot, size: number): Promise<void> {
  const query = await encodedUncountedQuery(context, snapshot);
  if (query === null) return;
  if (query.includes('skip')) {
    const similar = await snapshot.first(await uncountedFirstPage(context, snapshot));
    const compared =
      similar.kind !== 'page' ? null : expectSame(context, snapshot, { query, model: similar });
    const isSame = await compared?.then(
      () => true,
      () => false,
    );
    if (isSame === true) return;
    // $count=false is another request than one without $count, and $skip without $count may be refused.
    const model = await snapshot.query(query.replaceAll('%24', '$'));
    if (model.kind === 'page') return expectSame(context, snapshot, { query, model });
  }
  const first = await expectFirstPage(snapshot, { pageSize: size });
  await expectSame(context, snapshot, { query: `%24pagesize=${size}`, model: first });
}

/** A page behind the first one, requested by its parameters, with all three names encoded. */
async function expectSameLinkedPage(context: Tested, snapshot: Snapshot): Promise<void> {
  // What is wrong with traversals is for other checks to report.
  const pages = await pagesByParameters({ ...context, limitedBy: () => undefined }, snapshot).catch(() => []);
  const aligned = pages.filter(({ isAligned }) => isAligned);
  const page = aligned[context.random('encoded linked page') % Math.max(1, aligned.length)];
  const model = page === undefined ? null : await snapshot.query(page.query);
  if (page === undefined || model?.kind !== 'page') return;
  await expectSame(context, snapshot, { query: page.query.replaceAll('$', '%24'), model });
}

// If $pagesize itself has no effect, its encoded spelling cannot be distinguished from an unknown parameter.
function expectEffect(page: Page, size: number): void {
  if (page.itemCount > size) throw new Blocked('page-size/limit', `$pagesize=${size} has no effect`);
  if (page.itemCount < size)
    throw new Blocked('page-size/filled', `$pagesize=${size} gives ${page.itemCount} records`);
  if (page.count === undefined && page.link === undefined)
    throw new Blocked('count/present', '$count=true has no effect');
}

async function expectSame(context: Tested, snapshot: Snapshot, compared: Compared): Promise<void> {
  try {
    await expectSameAnswer(context, snapshot, compared);
  } catch (error) {
    if (error instanceof Violation) {
      // The order of the parameters may make the difference.
      const plain = await snapshot.query(compared.query.replaceAll('%24', '$'));
      if (plain.kind === 'page' && plain.target !== compared.model.target)
        return expectSame(context, snapshot, { query: compared.query, model: plain });
      // What is wrong now and then may have nothing to do with the spelling of the request.
      const answer = await snapshot.query(compared.query);
      try {
        for (const page of [answer, compared.model, answer, compared.model])
          if (page.kind === 'page') await expectSteady(snapshot, page);
      } catch (unsteady) {
        const proven = await breachOfSomeAnswers(snapshot, compared, error);
        if (proven !== null) context.proven.push(proven);
        throw proven ?? unsteady;
      }
    }
    throw error;
  }
}

/** Which spelling is requested in turn, encoded or plain: in an order in which each of up to five servers gets both twice. */
const SPELLINGS_IN_TURN = [...'pppeeepepppeeeeeepepp'.repeat(3)];

/** Answers that a violation names at most, besides those compared first. */
const MAX_NAMED = 4;

/**
 * Encoded answers, of 33, that must differ. If the spelling made no difference, the probability that so many differ and none of
 * the 30 plain ones does would be below 1 in 200.
 */
const LEAST_WRONG = 8;

/** The breach with its share if some answers to encoded names differ and all answers to plain ones are alike; null otherwise. */
async function breachOfSomeAnswers(
  snapshot: Snapshot,
  { query, model }: Compared,
  { breaches }: Violation,
): Promise<Violation | null> {
  const { client } = snapshot;
  const wrong: number[] = [];
  for (const spelling of SPELLINGS_IN_TURN) {
    const page = await client.authorized(spelling === 'e' ? `${client.path}?${query}` : model.target);
    if (page.kind !== 'page') return null;
    if (STEADY_PARTS.every(([, partOf]) => partOf(page) === partOf(model))) continue;
    if (spelling === 'p') return null;
    wrong.push(page.exchange);
  }
  if (wrong.length < LEAST_WRONG) return null;
  const all = SPELLINGS_IN_TURN.length;
  const encoded = SPELLINGS_IN_TURN.filter((spelling) => spelling === 'e').length;
  return new Violation(
    breaches.map((breach) => ({
      ...breach,
      message:
        `${breach.message} (so in ${wrong.length} of ${encoded} answers to encoded names, ` +
        `and in none of ${all - encoded} to plain ones, requested in turn)`,
      exchanges: [...breach.exchanges, ...wrong.slice(0, MAX_NAMED)],
    })),
  );
}

/** What two answers to one request have in common, and the requirement that is broken if they have not. */
const STEADY_PARTS: readonly (readonly [RequirementId, (page: Page) => unknown])[] = [
  ['page-size/filled', (page) => (hasPageSize(page) ? page.itemCount : null)],
  ['page-size/default', (page) => (hasPageSize(page) ? null : page.itemCount)],
  ['count/present', ({ count }) => count === undefined],
  ['count/stable', ({ count }) => String(count)],
  ['link/present-when-more', ({ link }) => link === undefined],
  ['link/offset', printLinkParameters],
];

function hasPageSize({ target }: Page): boolean {
  return hasParameter(target, '$pagesize');
}

/** Throws Blocked if the same request is answered in another way. */
async function expectSteady(snapshot: Snapshot, page: Page): Promise<void> {
  const again = await snapshot.client.authorized(page.target);
  if (again.kind !== 'page') return;
  const changed = STEADY_PARTS.find(([, partOf]) => partOf(again) !== partOf(page));
  if (changed === undefined) return;
  if (changed[0] === 'count/stable') for (const one of [page, again]) snapshot.client.records.noteCount(one);
  throw new Blocked(changed[0], `GET ${page.target} is answered in different ways`);
}

/** Plain requests that must give the same count before names are the cause of another one. */
const COUNT_CONTROLS = 8;

/** Throws Blocked if other requests with plain names give another count as well, as where servers take turns. */
async function expectStableCount({ client }: Snapshot, { count }: Page): Promise<void> {
  for (let size = 1; size <= COUNT_CONTROLS; size++) {
    const page = await client.authorized(`${client.path}?$count=true&$pagesize=${size}`);
    if (page.kind === 'page' && page.count !== undefined && !sameCount(page.count, count))
      throw new Blocked('count/stable', `count differs between requests such as GET ${page.target}`);
  }
}

/** A query with encoded names, and the page of the same query with plain ones. */
interface Compared {
  readonly query: string;
  readonly model: Page;
}

async function expectSameAnswer(
  context: CheckContext,
  snapshot: Snapshot,
  { query, model }: Compared,
): Promise<void> {
  const answer = await snapshot.query(query);
  context.exercised();
  // Each part is a verb with what follows it.
  const differs = (
    [does, modelDoes]: readonly [does: string, modelDoes: string],
    expected: string | number,
    actual: string | number,
  ): Violation =>
    new Violation({
      key: query,
      message:
        `GET ${answer.target} ${does}, and ${model.target} ${modelDoes}; ` +
        '%24 is the encoded $, so both must be answered alike',
      expected,
      actual,
      counterexample: { query },
      exchanges: [answer.exchange, model.exchange],
    });
  if (answer.kind === 'no-envelope') throw new Blocked('list/envelope', answer.why);
  if (answer.kind === 'refused')
    throw (
      refusedWithValidToken(answer, snapshot.client) ??
      differs([`was answered ${answer.status}`, 'was answered 200'], 200, answer.status)
    );
  if (answer.itemCount !== model.itemCount)
    throw differs(
      [`gives ${answer.itemCount} records`, `gives ${model.itemCount}`],
      model.itemCount,
      answer.itemCount,
    );
  for (const [name, member] of [
    ['count', 'count'],
    ['link', 'nextPageLink'],
  ] as const) {
    const [given, expected] = [answer, model].map((page) => (page[name] === undefined ? 'no' : 'a'));
    if (given !== expected)
      throw differs(
        [`gives ${given} ${member}`, `gives ${expected === 'a' ? 'one' : 'none'}`],
        `${expected} ${member}`,
        `${given} ${member}`,
      );
  }
  if (!sameCount(answer.count, model.count)) {
    await expectStableCount(snapshot, model);
    throw differs(
      [`gives count ${answer.count}`, `gives count ${model.count}`],
      String(model.count),
      String(answer.count),
    );
  }
  const [link, modelLink] = [printLinkParameters(answer), printLinkParameters(model)];
  if (modelLink !== null && link !== null && link !== modelLink) {
    const faults = queryFaults(linkParameters(answer.link, snapshot.client.place) ?? [], answer.itemCount);
    if (faults.length > 0)
      throw new Blocked('link/query', `the nextPageLink of ${answer.target}: ${sentenceOf(faults)}`);
    throw differs([`gives a nextPageLink with ${link}`, `gives one with ${modelLink}`], modelLink, link);
  }
  const others = othersIn(answer, model);
  if (others === 0) return;
  // The records of a first page are open if repeating the request gives other records each time.
  const again = await snapshot.client.authorized(model.target);
  if (again.kind !== 'page' || othersIn(again, model) > 0) return;
  if (!(await isInPlace(model, snapshot)) && (await isInPlace(answer, snapshot)))
    throw new Blocked('traversal/by-parameters', `GET ${model.target} gives records of another place`);
  throw differs(
    [
      `gives ${answer.itemCount} records, ${others} of them different`,
      `gives the ${model.itemCount} right ones`,
    ],
    `the ${model.itemCount} records of ${model.target}`,
    `${others} other records`,
  );
}

/** The parameters of a link in one spelling and order, whatever its path; null if there is none. */
function printLinkParameters({ link }: Page): string | null {
  if (typeof link !== 'string' || !link.includes('?')) return null;
  return parametersOf(link)
    .filter(({ name }) => ['$count', '$pagesize', '$skip'].includes(name))
    .map(({ name, value }) => `${name}=${value}`)
    .sort()
    .join('&');
}
