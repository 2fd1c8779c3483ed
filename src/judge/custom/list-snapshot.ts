import type { Header } from '../../core/exchange.ts';
import type { Json } from '../../core/results.ts';
import { Blocked, Undecided } from '../../core/undecided.ts';
import { isObject, member } from '../../provider/json-reader.ts';
import { canonicalQuery, readLink } from '../../provider/link.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Answer, ListSnapshot, Placed, Query } from './check-types.ts';
import { answerOf, findingsOf } from './findings.ts';

/** Bytes of answers that one snapshot keeps for all checks. */
const MAX_KEPT_BYTES = 33_554_432;

/** The answers that one snapshot keeps. */
interface Kept {
  readonly answers: Map<string, Promise<Answer>>;
  bytes: number;
}

function nothingKept(): Kept {
  return { answers: new Map(), bytes: 0 };
}

/** The list of a snapshot for custom checks. */
export function listSnapshot(snapshot: Snapshot, exercised: () => void): ListSnapshot {
  const { client } = snapshot;
  const depth = client.target.limits.maxJsonDepth;
  const kept = snapshot.memo.once(nothingKept);
  let last: number | null = null;
  const noted = (answer: Answer): Answer => {
    last = answer.exchange;
    return answer;
  };
  const ask = async (target: string): Promise<Answer> => {
    const exchange = await snapshot.exchange(target);
    kept.bytes += exchange.answer?.body.length ?? 0;
    if (kept.bytes > MAX_KEPT_BYTES) kept.answers.delete(target);
    return answerOf(exchange, depth);
  };
  const at = async (target: string): Promise<Answer> => {
    const known = kept.answers.get(target) ?? ask(target);
    if (kept.bytes <= MAX_KEPT_BYTES) kept.answers.set(target, known);
    return noted(await known);
  };
  return {
    ...findingsOf(exercised, () => last),
    resource: client.resource,
    get: (query) => at(targetOf(client.path, query)),
    records: ({ pageSize } = {}) =>
      recordsFrom(
        snapshot,
        at,
        snapshot.targetOf(pageSize === undefined ? { count: true } : { count: true, pageSize }),
      ),
    call: async ({ query, headers = {}, authorization }) => {
      const given: readonly Header[] = Object.entries(headers);
      const exchange = await client.call({
        target: targetOf(client.path, query),
        authorization: authorization === undefined ? `Bearer ${await client.tokens.bearer()}` : authorization,
        headers: given,
        omittedHeaders: given.map(([name]) => name.toLowerCase()),
      });
      client.read(exchange);
      return noted(answerOf(exchange, depth));
    },
  };
}

function targetOf(path: string, query: Query | undefined): string {
  const text =
    typeof query === 'object'
      ? Object.entries(query)
          .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
          .join('&')
      : (query ?? '');
  return text === '' ? path : `${path}?${text}`;
}

async function* recordsFrom(
  snapshot: Snapshot,
  at: (target: string) => Promise<Answer>,
  start: string,
): AsyncGenerator<Placed> {
  const { place, resource, target: provider } = snapshot.client;
  const visited = new Set<string>();
  let position = 0;
  for (let target = start; ; ) {
    visited.add(canonicalQuery(target));
    const page = await at(target);
    const items = page.status === 200 && isObject(page.json) ? member(page.json, 'items') : undefined;
    if (!Array.isArray(items)) {
      const cause = visited.size > 1 ? 'traversal/followable' : 'list/envelope';
      throw new Blocked(cause, `the answer to ${target} (status ${page.status}) is not a list`);
    }
    for (const record of items as readonly Json[])
      yield { record, id: member(record, resource.idField), position: position++, page };
    const link = member(page.json, 'nextPageLink');
    if (link === undefined || link === null || link === '') return;
    const read = typeof link === 'string' ? readLink(link, place) : null;
    if (read === null || read.kind === 'unusable')
      throw new Blocked('link/relative', `the nextPageLink of ${target} cannot be followed`);
    if (visited.has(canonicalQuery(read.target)))
      throw new Blocked('traversal/terminates', `the nextPageLink of ${target} leads to an earlier page`);
    if (visited.size >= provider.limits.maxPages)
      throw new Undecided(
        { kind: 'limit', limit: 'maxPages' },
        `${provider.limits.maxPages} pages were read`,
      );
    target = read.target;
  }
}
