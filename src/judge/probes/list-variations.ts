import type { FailureCode } from '../../core/exchange.ts';
import { recordCount } from '../../core/number-format.ts';
import { Undecided } from '../../core/undecided.ts';
import { sameIdentities } from '../../provider/identity.ts';
import type { ListAnswer, NoPage, Page } from '../../provider/page.ts';
import { NoAnswer } from '../../provider/sender.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import { type Observed, type ObserverContext, parameterIn, summarizeOutcomes } from '../observation.ts';
import { mapInParallel } from '../outcomes.ts';
import { expectFirstPage, refusesCaller } from './expected-page.ts';
import { knownLength } from './list-facts.ts';

/**
 * One way in which a list call differs from the normal one. Each is in its own place of the request, so one call can
 * combine several.
 */
interface CallVariation {
  /** Names it in the value of an observation. */
  readonly name: string;
  /** Parameters of the query, as they are sent. */
  readonly query?: string;
  /** The page size of the call; 1 if left out. */
  readonly pageSize?: number;
  /** The scheme of the Authorization header; `Bearer` if left out. */
  readonly scheme?: string;
  /** A header in place of the normal one of that name; null leaves that one out. */
  readonly header?: readonly [name: string, value: string | null];
}

/** The effect of a variation on a call. */
type VariationAnswer = ListAnswer | MissingAnswer;

/** No answer to describe, and why, as a clause. */
interface MissingAnswer {
  /**
   * `dropped`: the provider ended the call without a complete answer, which is the effect of the variation.
   * `unobserved`: the same call without the variation gives no page either, so the effect is unknown.
   */
  readonly kind: 'dropped' | 'unobserved';
  readonly why: string;
  /** Number of the exchange; null if nothing was sent. */
  readonly exchange: number | null;
}

type Answered = readonly [name: string, answer: VariationAnswer];

/** Failures that a provider can cause by the way it treats a call. */
const DROPPED: readonly FailureCode[] = ['closed', 'truncated', 'malformed', 'answer-timeout'];

/**
 * Makes one list call that combines variations, with the current token. If the answer is the expected page, it counts
 * as the answer to each of them; if not, each is sent in its own call. The calls request pages of one record, unless a
 * variation sets the page size.
 *
 * @param isExpected whether a page is what the same call without the variations gives
 */
export async function sendTogether(
  context: ObserverContext,
  variations: readonly CallVariation[],
  isExpected: (page: Page) => boolean = () => true,
): Promise<readonly Answered[]> {
  if (variations.length > 1) {
    const answer = await askOnce(context, variations);
    if (answer.kind === 'page' && isExpected(answer)) return variations.map(({ name }) => [name, answer]);
  }
  return mapInParallel(context.target.limits, variations, async (variation) => [
    variation.name,
    await askWithControl(context, variation),
  ]);
}

/**
 * The answer to a call with that variation, if it is an effect of the variation: the same call without it gives a page.
 * If the token, the server or chance may be the cause, both calls are repeated with one token.
 */
async function askWithControl(context: ObserverContext, variation: CallVariation): Promise<VariationAnswer> {
  const { list, snapshots, tokens } = context;
  const first = await askOnce(context, [variation]);
  if (first.kind === 'page' || first.kind === 'unobserved') return first;
  const renewed = () => answerOf(() => list.authorized(targetOf(context, [])));
  if (first.kind === 'refused' && !isFailure(first) && !refusesCaller(first)) {
    const known = await answerOf(() => snapshots.at(0).first({ count: true, pageSize: 1 }));
    const control = known.kind === 'page' ? known : await renewed();
    return control.kind === 'page' ? first : unobserved(control);
  }
  for (let attempt = 1; ; attempt++) {
    const token = await tokens.bearer();
    const answer = await call(context, [variation], token);
    if (answer.kind === 'page') return answer;
    const control = await call(context, [], token);
    if (control.kind === 'page') return answer;
    if (attempt === 2 || (await renewed()).kind !== 'page') return unobserved(control);
  }
}

function unobserved(control: NoPage | MissingAnswer): MissingAnswer {
  const why = `without it the same call gives no page either (${describeRefusal(control)})`;
  return { kind: 'unobserved', why, exchange: control.exchange };
}

/** Whether the server failed at a call. */
function isFailure(answer: VariationAnswer): boolean {
  return answer.kind === 'dropped' || ('status' in answer && answer.status >= 500);
}

function targetOf({ list }: ObserverContext, variations: readonly CallVariation[]): string {
  const queries = variations.flatMap(({ query }) => (query === undefined ? [] : [query]));
  const pageSize = variations.find((variation) => variation.pageSize !== undefined)?.pageSize ?? 1;
  const sized = queries.some((query) => query.includes('$pagesize'));
  return `${list.path}?${[...queries, ...(sized ? [] : [`$pagesize=${pageSize}`])].join('&')}`;
}

async function askOnce(
  context: ObserverContext,
  variations: readonly CallVariation[],
): Promise<VariationAnswer> {
  const isPlain = variations.every(({ scheme, header }) => scheme === undefined && header === undefined);
  // The snapshot may hold the answer already.
  if (isPlain) return answerOf(() => context.snapshots.at(0).at(targetOf(context, variations)));
  return call(context, variations, await context.tokens.bearer());
}

function call(
  context: ObserverContext,
  variations: readonly CallVariation[],
  token: string,
): Promise<VariationAnswer> {
  const { list } = context;
  const scheme = variations.find((variation) => variation.scheme !== undefined)?.scheme;
  const headers = variations.flatMap(({ header }) => (header === undefined ? [] : [header]));
  return answerOf(async () => {
    const exchange = await list.call({
      target: targetOf(context, variations),
      authorization: `${scheme ?? 'Bearer'} ${token}`,
      omittedHeaders: headers.map(([name]) => name.toLowerCase()),
      headers: headers.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
    });
    return list.readAndNote(exchange);
  });
}

/** Throws NoAnswer if the run, and not the provider, ended the call; Blocked, and Undecided for a limit of the run. */
async function answerOf(ask: () => Promise<ListAnswer>): Promise<VariationAnswer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof NoAnswer && isEndedByProvider(error))
      return { kind: 'dropped', why: error.message, exchange: error.exchange.number };
    if (error instanceof Undecided && error.cause.kind === 'unavailable')
      return { kind: 'unobserved', why: error.message, exchange: null };
    throw error;
  }
}

/** Whether the provider, and not the run, ended a call without a complete answer. */
export function isEndedByProvider({ exchange }: NoAnswer): boolean {
  return exchange.failure !== null && DROPPED.includes(exchange.failure.code);
}

/** Describes an answer without a page in a few words. */
export function describeRefusal(answer: NoPage | MissingAnswer): string {
  switch (answer.kind) {
    case 'refused':
      return `${answer.status >= 500 ? 'failed' : 'refused'} with ${answer.status}`;
    case 'no-envelope':
      return `no list: ${answer.why}`;
    case 'dropped':
      return `no answer: ${answer.why}`;
    case 'unobserved':
      return `not observed: ${answer.why}`;
  }
}

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

const UNKNOWN_LENGTH: MissingAnswer = {
  kind: 'unobserved',
  why: 'the number of records is unknown',
  exchange: null,
};

async function askAll(context: ObserverContext): Promise<ReadonlyMap<string, VariationAnswer>> {
  const snapshot = context.snapshots.at(0);
  await expectFirstPage(snapshot, {});
  const length = await knownLength(snapshot);
  const first = await firstPage(snapshot);
  const end = length === null ? null : await snapshot.query(`$count=true&$skip=${length}`);
  const outcomes = await Promise.all(
    callsFor(length).map((variations) =>
      sendTogether(context, variations, (page) => isExpected(page, variations, { first, end })),
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

/**
 * Whether a page is what a call without the variations gives; then it answers each of them.
 *
 * @param controls answers to calls with `$count=true` alone, and with a $skip to the end of the list
 */
function isExpected(
  page: Page,
  variations: readonly CallVariation[],
  { first, end }: { readonly first: ListAnswer; readonly end: ListAnswer | null },
): boolean {
  // Past the end of the list a missing count is an effect of $count only if the control has one.
  if (variations.some(({ name }) => name === SKIP_PAST_END))
    return page.itemCount === 0 && end?.kind === 'page' && end.count !== undefined;
  return first.kind === 'page' && hasRequestedRecords(page, first);
}

/** Whether a page holds as many records as its `$pagesize` requests, and those with which the first page begins. */
export function hasRequestedRecords(page: Page, first: Page): boolean {
  const size = Math.min(Number(parameterIn(page.target, '$pagesize')), first.itemCount);
  return page.itemCount === size && sameIdentities(page.identities, first.identities.subarray(0, size));
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

/**
 * Describes the answers to the variations of those names: pages by `accepted`, by default their records, others by what came instead. A failure of
 * the server needs attention.
 *
 * @param further answers to similar calls; read when the variations were sent
 */
export async function observeVariations(
  context: ObserverContext,
  names: readonly string[],
  accepted = ({ itemCount }: Page): string => recordCount(itemCount),
  further: () => readonly Answered[] = () => [],
): Promise<Observed> {
  // The first observation that needs them sends the calls.
  const all = await context.list.memo.once(askAll, context);
  const named = names.flatMap((name) => {
    const answer = all.get(name);
    return answer === undefined ? [] : [[name, answer] as const];
  });
  const answers = [...further(), ...named];
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

/** The smallest page size of a call with another Tenant header. */
const TENANT_PAGE_SIZE = 400;

/**
 * Describes the answer to a call with that Tenant header; null leaves it out. Its page size, drawn by the seed, is one
 * that other checks hardly request: a cache that takes no notice of tenants would give them the answer.
 */
export async function observeTenant(context: ObserverContext, tenant: string | null): Promise<Observed> {
  const pageSize = TENANT_PAGE_SIZE + 2 * ((context.options.seed >>> 0) % 50) + (tenant === null ? 0 : 1);
  const variation: CallVariation = { name: tenant ?? 'none', header: ['Tenant', tenant], pageSize };
  const [outcome] = await sendTogether(context, [variation]);
  if (outcome === undefined) throw new Error('a call with a Tenant header has no answer');
  const [, answer] = outcome;
  const given = answer.kind === 'page' && answer.itemCount > 0;
  return {
    value:
      answer.kind === 'page' ? `answered 200 ${given ? 'with' : 'without'} records` : describeRefusal(answer),
    // A provider may have a default tenant, but an unknown tenant must have no records.
    attention: (tenant !== null && given) || isFailure(answer),
    exchanges: answer.exchange === null ? [] : [answer.exchange],
  };
}

/** Further requests to each list, at most, if the provider refuses calls that combine variations. */
export const MAX_FURTHER_REQUESTS = callsFor(0)
  .filter((variations) => variations.length > 1)
  .reduce((calls, variations) => calls + variations.length, 0);
