import { MORE_THAN_ONE_RECORD } from '../../src/core/cause.ts';
import { recordCount } from '../../src/core/number-format.ts';
import { Blocked, changing, type Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { errorOf, evidenceOrNull } from '../../src/judge/outcomes.ts';
import { expectFirstPage, refusedWithValidToken } from '../../src/judge/probes/expected-page.ts';
import {
  ENCODED_COUNT,
  encodedQueries,
  encodedUncountedQuery,
  smallPageSize,
  uncountedFirstPage,
} from '../../src/judge/probes/first-pages.ts';
import { countKnownRecords, isInPlace } from '../../src/judge/probes/list-facts.ts';
import { pagesByParameters } from '../../src/judge/probes/pages-by-parameters.ts';
import {
  breachOfSomeAnswers,
  type Compared,
  expectSteady,
  printLinkParameters,
} from '../../src/judge/proofs/spelling-trial.ts';
import { queryFaults, sentenceOf } from '../../src/judge/traversals.ts';
import { Violation, violationOn } from '../../src/judge/violation.ts';
import { linkParameters } from '../../src/provider/link.ts';
import { type ListAnswer, othersIn, type Page, sameCount } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

export const pageSizeEncodedName = requirement({
  id: 'page-size/encoded-name',
  clause: ['4.2'],
  smoke: true,
  rule: `%24count and %24pagesize, both encoded or one of them with a plain $ in the other, are answered like $count and
    $pagesize.`,
  needs: MORE_THAN_ONE_RECORD,
  tested: `Sends the same request with the names spelled in four ways, byte for byte, each encoded name once as
    the first and once as the second parameter, and %24count alone; with $pagesize also $skip, and all three; in certify also %24count=false alone and the last page. Compares
    the number of items, count and the parameters of nextPageLink, and the records if the same request returns the
    same records twice. If answers differ intermittently, requests both spellings in turn, 63 times.`,
  breach: 'The encoded spelling is ignored (a full page, no count, no link) or refused.',
  causes: `Query names are compared before they are decoded, in a gateway rule, a hand-written parser or a cache key. A
    proxy encodes the percent sign again (%2524). A firewall blocks encoded dollar signs.`,
  fix: 'Decode names once, before they are compared. Let gateway and firewall pass %24.',
  judge: async (context) => {
    const proven: Violation[] = [];
    const error = await errorOf(() =>
      context.confirm({ atRest: true }, (attempt) => expectSameAnswers({ ...attempt, proven })),
    );
    const finding = error instanceof Violation ? error : (proven[0] ?? error);
    if (finding !== null) throw finding;
  },
});

/** The context with the breaches that several answers proved on a snapshot: they may not show on the next one. */
interface Tested extends CheckContext {
  readonly proven: Violation[];
}

async function expectSameAnswers(context: Tested): Promise<void> {
  const { snapshot } = context;
  const size = await smallPageSize(context);
  if (size < 1) return;
  const plain = await expectFirstPage(snapshot, { count: true, pageSize: size });
  expectEffect(plain, size);
  const cases = encodedQueries(context, size);
  await Promise.allSettled(cases.map((query) => snapshot.query(query)));
  for (const query of cases) await expectSame(context, { query, model: plain });
  if (context.options.suite !== 'smoke') {
    const model = await expectFirstPage(snapshot, { count: true });
    await expectSame(context, { query: ENCODED_COUNT, model });
  }
  if (context.options.suite === 'certify') await expectSameRarePages(context);
  await expectSameUncountedPage(context, size);
  if (context.options.suite !== 'smoke') await expectSameLinkedPage(context);
  // If $count=true itself gives no count or link, its encoded spelling is tested only in part.
  if (plain.count === undefined) throw new Blocked('count/present', '$count=true gives no count');
  if (plain.link === undefined && size < (await countKnownRecords(snapshot)))
    throw new Blocked('link/present-when-more', `$pagesize=${size} gives no nextPageLink`);
}

/** A page of the default size without a count, and the last page, which has no link. */
async function expectSameRarePages(context: Tested): Promise<void> {
  const { snapshot } = context;
  const skip = Math.max(0, (await countKnownRecords(snapshot)) - 1);
  for (const query of ['$count=false', `$count=true&$pagesize=1&$skip=${skip}`]) {
    const model = await snapshot.query(query);
    if (model.kind === 'page') await expectSame(context, { query: query.replaceAll('$', '%24'), model });
  }
}

/** A page without `$count`, from within the list if the provider reads `$skip` without `$count`. */
async function expectSameUncountedPage(context: Tested, size: number): Promise<void> {
  const { snapshot } = context;
  const query = await encodedUncountedQuery(context);
  if (query === null) return;
  if (query.includes('skip')) {
    const similar = await snapshot.first(await uncountedFirstPage(context));
    if (similar.kind === 'page') {
      const difference = await errorOf(() => expectSame(context, { query, model: similar }));
      if (difference === null) return;
    }
    // The first page was requested with $count=false, which is another request; and $skip without $count may be
    // refused.
    const model = await snapshot.query(query.replaceAll('%24', '$'));
    if (model.kind === 'page') return expectSame(context, { query, model });
  }
  const first = await expectFirstPage(snapshot, { pageSize: size });
  await expectSame(context, { query: `%24pagesize=${size}`, model: first });
}

/** A page behind the first one, requested by its parameters, with all three names encoded. */
async function expectSameLinkedPage(context: Tested): Promise<void> {
  // Other checks report what is wrong with traversals.
  const pages =
    (await evidenceOrNull(context, pagesByParameters({ ...context, limitedBy: () => undefined }))) ?? [];
  const aligned = pages.filter(({ isAligned }) => isAligned);
  const page = aligned[context.random('encoded linked page') % Math.max(1, aligned.length)];
  const model = page === undefined ? null : await context.snapshot.query(page.query);
  if (page === undefined || model?.kind !== 'page') return;
  await expectSame(context, { query: page.query.replaceAll('$', '%24'), model });
}

// If $pagesize itself has no effect, its encoded spelling cannot be distinguished from an unknown parameter.
function expectEffect(page: Page, size: number): void {
  const given = `$pagesize=${size} gives ${recordCount(page.itemCount)}`;
  if (page.itemCount > size) throw new Blocked('page-size/limit', given);
  if (page.itemCount < size) throw new Blocked('page-size/filled', given);
  if (page.count === undefined && page.link === undefined)
    throw new Blocked('count/present', '$count=true has no effect');
}

/** Expects that both spellings of a query are answered alike. */
async function expectSame(context: Tested, compared: Compared): Promise<void> {
  const { snapshot } = context;
  const { query, model } = compared;
  const answer = await snapshot.query(query);
  const difference = differenceOf(answer, model);
  const explanation = difference === null ? null : await explanationOf(snapshot, answer, model, difference);
  if (explanation === 'open') return;
  context.exercised();
  if (explanation !== null) throw explanation;
  if (difference === null) return;
  // The order of the parameters may make the difference.
  const plain = await snapshot.query(query.replaceAll('%24', '$'));
  if (plain.kind === 'page' && plain.target !== model.target)
    return expectSame(context, { query, model: plain });
  const [, [does, modelDoes], expected, actual] = difference;
  const violation = violationOn(answer, {
    key: query,
    message:
      `GET ${answer.target} ${does}, and ${model.target} ${modelDoes}; ` +
      '%24 is the encoded $, so both must be answered alike',
    expected,
    actual,
    counterexample: { query },
    further: [model],
  });
  // An intermittent fault may have nothing to do with the spelling of the request.
  try {
    for (const page of [answer, model, answer, model]) await expectSteady(snapshot, page);
  } catch (unsteady) {
    const proven = await breachOfSomeAnswers(snapshot, compared, violation);
    if (proven !== null) context.proven.push(proven);
    throw proven ?? unsteady;
  }
  throw violation;
}

/** Each answer is described by a verb with what follows it. */
type Difference = readonly [
  part: 'status' | 'length' | 'members' | 'count' | 'link' | 'records',
  does: readonly [answer: string, model: string],
  expected: string | number,
  actual: string | number,
];

/** The first difference between two answers; null if they are alike. */
function differenceOf(answer: ListAnswer, model: Page): Difference | null {
  if (answer.kind !== 'page')
    return ['status', [`was answered ${answer.status}`, 'was answered 200'], 200, answer.status];
  const [length, right] = [answer.itemCount, model.itemCount];
  if (length !== right) return ['length', [`gives ${length} records`, `gives ${right}`], right, length];
  for (const [name, member] of [
    ['count', 'count'],
    ['link', 'nextPageLink'],
  ] as const) {
    const [given, expected] = [answer, model].map((page) => (page[name] === undefined ? 'no' : 'a'));
    const modelDoes = `gives ${expected === 'a' ? 'one' : 'none'}`;
    if (given !== expected)
      return [
        'members',
        [`gives ${given} ${member}`, modelDoes],
        `${expected} ${member}`,
        `${given} ${member}`,
      ];
  }
  if (!sameCount(answer.count, model.count)) {
    const [count, expected] = [answer.count, model.count].map(String) as [string, string];
    return ['count', [`gives count ${count}`, `gives count ${expected}`], expected, count];
  }
  const [link, modelLink] = [printLinkParameters(answer), printLinkParameters(model)];
  if (modelLink !== null && link !== null && link !== modelLink)
    return ['link', [`gives a nextPageLink with ${link}`, `gives one with ${modelLink}`], modelLink, link];
  const others = othersIn(answer, model);
  if (others === 0) return null;
  const does = [
    `gives ${length} records, ${others} of them different`,
    `gives the ${right} right ones`,
  ] as const;
  return ['records', does, `the ${right} records of ${model.target}`, `${others} other records`];
}

/** Plain requests that must give the same count before names are the cause of another one. */
const COUNT_CONTROLS = 8;
/** Plain requests that must give the same records before names are the cause of others: an odd number, for two servers in turn. */
const ORDER_CONTROLS = 3;

/**
 * Requests what shows whether a difference has another explanation: `open` if the difference shows nothing, null if there
 * is no other explanation.
 */
async function explanationOf(
  snapshot: Snapshot,
  answer: ListAnswer,
  model: Page,
  [part]: Difference,
): Promise<Undecided | 'open' | null> {
  const { client } = snapshot;
  if (answer.kind === 'no-envelope') return new Blocked('list/envelope', answer.why);
  if (answer.kind === 'refused') return refusedWithValidToken(answer, client);
  if (part === 'link') {
    const faults = queryFaults(linkParameters(answer.link, client.address) ?? [], answer.itemCount);
    const sentence = `the nextPageLink of ${answer.target}: ${sentenceOf(faults)}`;
    return faults.length > 0 ? new Blocked('link/query', sentence) : null;
  }
  // Servers may take turns.
  for (let size = 1; part === 'count' && size <= COUNT_CONTROLS; size++) {
    const page = await client.authorized(`${client.path}?$count=true&$pagesize=${size}`);
    if (page.kind !== 'page' || page.count === undefined || sameCount(page.count, model.count)) continue;
    const sentence = `count differs between requests such as GET ${page.target}`;
    const again = await client.authorized(model.target);
    const hasChanged = again.kind === 'page' && sameCount(again.count, page.count);
    return hasChanged ? changing(sentence) : new Blocked('count/stable', sentence);
  }
  if (part !== 'records') return null;
  // The records of a first page are open if repeating the request gives other records each time. Servers may take turns.
  for (let repetitions = 0; repetitions < ORDER_CONTROLS; repetitions++) {
    const again = await client.authorized(model.target);
    if (again.kind !== 'page' || othersIn(again, model) > 0) return 'open';
  }
  const isExplained = !(await isInPlace(model, snapshot)) && (await isInPlace(answer, snapshot));
  return isExplained
    ? new Blocked('traversal/by-parameters', `GET ${model.target} gives records of another place`)
    : null;
}
