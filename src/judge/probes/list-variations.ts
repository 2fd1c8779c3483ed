import { sameIdentities } from '../../provider/identity.ts';
import type { ListAnswer, Page } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import { expectFirstPage } from '../expected-page.ts';
import { type Observed, type ObserverContext, parameterIn, summarizeOutcomes } from '../observation.ts';
import {
  type Answered,
  type CallVariation,
  describeRefusal,
  isFailure,
  type MissingAnswer,
  sendTogether,
  type VariationAnswer,
} from './call-variations.ts';
import { knownLength } from './list-traversals.ts';

/** Values of $count whose effect the specification leaves open. */
export const COUNT_FORMS = [
  '$count=TRUE',
  '$count=True',
  '$count=1',
  '$count=yes',
  '$count=',
  '$count=true&$count=false',
] as const;

/** Name of a call that starts at the end of the list; N is its length. */
export const SKIP_AT_END = '$skip=N';

/** Name of a call that starts beyond the end of the list. */
export const SKIP_PAST_END = '$skip=N+1000';

/** Values of $skip that are not offsets. */
export const ODD_SKIPS = ['$skip=-1', '$skip=abc'];

/** Values of $pagesize that are not whole numbers, or ambiguous. */
export const ODD_SIZES = ['$pagesize=2.5', '$pagesize=', '$pagesize=1&$pagesize=1000'];

/** Parameters that the specification does not mention; the last ones request one record under other names. */
export const UNKNOWN_PARAMETERS = ['$assay=1', 'assay=1', '$top=1', '$pageSize=1', 'pagesize=1'];

type Outcomes = ReadonlyMap<string, VariationAnswer>;

/** Answers to the same calls without the variations; null if they are no pages. */
interface Controls {
  /** The first page of the default size, with `$count=true`. */
  readonly first: Page | null;
  /** The page at the end of the list, with `$count=true`. */
  readonly end: Page | null;
}

const UNKNOWN_LENGTH: MissingAnswer = {
  kind: 'unobserved',
  why: 'the number of records is unknown',
  exchange: null,
};

/** The answers to all variations by name. The first observation that needs them sends the calls. */
export function variationOutcomes(context: ObserverContext): Promise<Outcomes> {
  return context.list.memo.once(askAll, context);
}

async function askAll(context: ObserverContext): Promise<Outcomes> {
  const snapshot = context.snapshots.at(0);
  await expectFirstPage(snapshot, {});
  const length = await knownLength(snapshot);
  const first = await firstPage(snapshot);
  const end = length === null ? null : await snapshot.query(`$count=true&$skip=${length}`);
  const controls = { first: pageOrNull(first), end: end === null ? null : pageOrNull(end) };
  const outcomes = await Promise.all(
    callsFor(length).map((variations) =>
      sendTogether(context, variations, (page) => isExpected(page, variations, controls)),
    ),
  );
  const answers = new Map(outcomes.flat());
  const hasGrown = end?.kind === 'page' && typeof end.count === 'number' && end.count > (length ?? 0);
  answers.set(SKIP_AT_END, end === null || hasGrown ? UNKNOWN_LENGTH : end);
  if (length === null) answers.set(SKIP_PAST_END, UNKNOWN_LENGTH);
  return answers;
}

/** The first page with `$count=true`: what most variations of a call are compared with. */
export function firstPage(snapshot: Snapshot): Promise<ListAnswer> {
  return snapshot.first({ count: true });
}

/** Whether a page is what a call without the variations gives; then it answers each of them. */
function isExpected(page: Page, variations: readonly CallVariation[], { first, end }: Controls): boolean {
  // Past the end of the list a missing count is an effect of $count only if the control has one.
  if (variations.some(({ name }) => name === SKIP_PAST_END))
    return page.itemCount === 0 && end?.count !== undefined;
  return first !== null && hasRequestedRecords(page, first);
}

/** Whether a page holds as many records as its `$pagesize` requests, and those with which the first page begins. */
export function hasRequestedRecords(page: Page, first: Page): boolean {
  const size = Math.min(Number(parameterIn(page.target, '$pagesize')), first.itemCount);
  return page.itemCount === size && sameIdentities(page.identities, first.identities.subarray(0, size));
}

function pageOrNull(answer: ListAnswer): Page | null {
  return answer.kind === 'page' ? answer : null;
}

/** The calls to a list of that length, each with the variations that it combines. */
function callsFor(length: number | null): readonly (readonly CallVariation[])[] {
  const [upper, title, one, yes, ...further] = COUNT_FORMS;
  const unknownPrefixed = UNKNOWN_PARAMETERS.filter((text) => text.startsWith('$'));
  const unknownPlain = UNKNOWN_PARAMETERS.filter((text) => !text.startsWith('$'));
  const pastEnd = length === null ? [] : [withQuery(`$skip=${length + 1000}`, SKIP_PAST_END)];
  return [
    [withQuery(upper), { name: 'bearer', scheme: 'bearer' }, ...unknownPrefixed.map(withUnknown)],
    [withQuery(title), { name: 'BEARER', scheme: 'BEARER' }, ...unknownPlain.map(withUnknown)],
    [withQuery(one), { name: 'no Accept', header: ['Accept', null] }],
    [withQuery(yes), { name: 'Accept: text/html', header: ['Accept', 'text/html'] }, ...pastEnd],
    ...[...further, ...ODD_SKIPS, ...ODD_SIZES].map((text) => [withQuery(text)]),
  ];
}

function withQuery(text: string, name = text): CallVariation {
  return { name, query: text };
}

function withUnknown(text: string): CallVariation {
  // Of two records, so that a page of one shows that the parameter has an effect.
  return { name: text, query: text, pageSize: 2 };
}

/** Describes the answers to the variations of those names.
 *
 * @param accepted describes a page */
export async function observeVariations(
  context: ObserverContext,
  names: readonly string[],
  accepted: (page: Page) => string,
): Promise<Observed> {
  return describeAnswers(answersByName(await variationOutcomes(context), names), accepted);
}

/** The answers to the variations of those names. */
export function answersByName(all: Outcomes, names: readonly string[]): readonly Answered[] {
  return names.flatMap((name) => {
    const answer = all.get(name);
    return answer === undefined ? [] : [[name, answer] as const];
  });
}

/** Describes answers: pages by `accepted`, others by what came instead. A failure of the server needs attention. */
export function describeAnswers(answers: readonly Answered[], accepted: (page: Page) => string): Observed {
  const detail: { [name: string]: string } = {};
  for (const [name, answer] of answers)
    detail[name] = answer.kind === 'page' ? accepted(answer) : describeRefusal(answer);
  return {
    value: summarizeOutcomes(detail),
    attention: answers.some(([, answer]) => isFailure(answer)),
    detail,
    exchanges: [...new Set(answers.flatMap(([, { exchange }]) => (exchange === null ? [] : [exchange])))],
  };
}

/** Describes the answer to a call with that Tenant header; null leaves it out. */
export async function observeTenant(context: ObserverContext, tenant: string | null): Promise<Observed> {
  const variation: CallVariation = { name: tenant ?? 'none', header: ['Tenant', tenant] };
  const [outcome] = await sendTogether(context, [variation]);
  if (outcome === undefined) return { value: 'not asked' };
  const [, answer] = outcome;
  const given = answer.kind === 'page' && answer.itemCount > 0;
  return {
    value: answer.kind === 'page' ? `answered 200 with ${printRecordCount(answer)}` : describeRefusal(answer),
    // A provider may have a default tenant, but an unknown tenant must have no records.
    attention: (tenant !== null && given) || isFailure(answer),
    exchanges: answer.exchange === null ? [] : [answer.exchange],
  };
}

/** The number of records of a page, as text. */
export function printRecordCount(page: Page): string {
  return `${page.itemCount} ${page.itemCount === 1 ? 'record' : 'records'}`;
}

/** Further requests to each list, at most, if the provider refuses calls that combine variations. */
export const MAX_FURTHER_REQUESTS = callsFor(0)
  .filter((variations) => variations.length > 1)
  .reduce((calls, variations) => calls + variations.length, 0);
