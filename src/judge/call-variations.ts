import type { ListAnswer, NoPage } from '../provider/page.ts';
import type { ObserverContext } from './observation.ts';
import { mapInParallel } from './parallel-map.ts';

/** One way in which a list call differs from the normal one. Each is in its own place of the request, so one call can combine several. */
export interface CallVariation {
  /** Names it in the value of an observation. */
  readonly name: string;
  /** Parameters of the query, as they are sent. */
  readonly query?: string;
  /** The scheme of the Authorization header; `Bearer` if left out. */
  readonly scheme?: string;
  /** A header in place of the normal one of that name; null leaves that one out. */
  readonly header?: readonly [name: string, value: string | null];
}

/** A variation with the answer to the call that had it. */
export interface VariationOutcome {
  readonly variation: CallVariation;
  readonly answer: ListAnswer;
}

/**
 * Makes one list call that combines variations, with the current token. If the answer is a page, it is the
 * answer to each of them; if not, each is sent in its own call. The calls request pages of one record, unless a
 * variation sets the page size. Throws NoAnswer, Blocked, Undecided.
 */
export async function sendTogether(
  context: ObserverContext,
  variations: readonly CallVariation[],
): Promise<readonly VariationOutcome[]> {
  const answer = await ask(context, variations);
  if (variations.length < 2 || answer.kind === 'page')
    return variations.map((variation) => ({ variation, answer }));
  return mapInParallel(context.target.limits, variations, async (variation) => ({
    variation,
    answer: await ask(context, [variation]),
  }));
}

async function ask(
  { list, snapshots, tokens }: ObserverContext,
  variations: readonly CallVariation[],
): Promise<ListAnswer> {
  const scheme = variations.find((variation) => variation.scheme !== undefined)?.scheme;
  const queries = variations.flatMap(({ query }) => (query === undefined ? [] : [query]));
  const sized = queries.some((query) => query.includes('$pagesize'));
  const query = [...queries, ...(sized ? [] : ['$pagesize=1'])].join('&');
  const headers = variations.flatMap(({ header }) => (header === undefined ? [] : [header]));
  // The snapshot may hold the answer already.
  if (scheme === undefined && headers.length === 0) return snapshots.at(0).query(query);
  const exchange = await list.call({
    target: `${list.path}?${query}`,
    authorization: `${scheme ?? 'Bearer'} ${await tokens.bearer()}`,
    without: headers.map(([name]) => name.toLowerCase()),
    headers: headers.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  });
  return list.read(exchange);
}

/** Describes an answer without a page in a few words. */
export function describeRefusal(answer: NoPage): string {
  return answer.kind === 'refused' ? `refused with ${answer.status}` : `no list: ${answer.why}`;
}
