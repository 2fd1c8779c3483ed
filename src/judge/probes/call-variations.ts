import type { FailureCode } from '../../core/exchange.ts';
import { Undecided } from '../../core/undecided.ts';
import type { ListAnswer, NoPage, Page } from '../../provider/page.ts';
import { NoAnswer } from '../../provider/sender.ts';
import { refusesCaller } from '../expected-page.ts';
import type { ObserverContext } from '../observation.ts';
import { mapInParallel } from '../parallel-map.ts';

/**
 * One way in which a list call differs from the normal one. Each is in its own place of the request, so one call can
 * combine several.
 */
export interface CallVariation {
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
export type VariationAnswer = ListAnswer | MissingAnswer;

/** No answer to describe, and why, as a clause. */
export interface MissingAnswer {
  /**
   * `dropped`: the provider ended the call without a complete answer, which is the effect of the variation.
   * `unobserved`: the same call without the variation gives no page either, so the effect is unknown.
   */
  readonly kind: 'dropped' | 'unobserved';
  readonly why: string;
  /** Number of the exchange; null if nothing was sent. */
  readonly exchange: number | null;
}

/** The name of a variation with the answer to the call that had it. */
export type Answered = readonly [name: string, answer: VariationAnswer];

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
export function isFailure(answer: VariationAnswer): boolean {
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
    return list.read(exchange);
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
