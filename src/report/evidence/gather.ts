import { createHash } from 'node:crypto';
import type { Exchange } from '../../core/exchange.ts';
import type { Json, Results } from '../../core/results.ts';
import type { BodyExcerpt, EvidenceViews, ExchangeView, PageFacts, ReportEntry } from '../data.ts';
import { type ExcerptSize, excerptJson, excerptText, type Marks, NO_MARKS } from './excerpt.ts';
import { marksFor } from './marks.ts';
import { pageFacts } from './page-facts.ts';

/** Of exchanges that prove something. */
const CITED: ExcerptSize = { head: 2, line: 400, lines: 60 };
/** Of all others. */
const PLAIN: ExcerptSize = { head: 1, line: 160, lines: 12 };
/** Longer bodies are shown by their first characters alone: parsing them would cost more than it tells. */
const PARSED_BYTES = 1_048_576;
/**
 * Exchanges of a target whose bodies are read, besides those that are cited. Of a run with more, a page has no room
 * to show them, and pictures are of these.
 */
export const READ_BODIES = 500;

/**
 * Reads evidence for a report. Bodies are cut to excerpts one by one, so that a run of many megabytes takes
 * little memory; what violations cite is shown more fully, with the offending member marked.
 *
 * @throws what reading the entries throws
 */
export async function gatherEvidence(
  results: Results,
  entries: AsyncIterable<ReportEntry> | Iterable<ReportEntry>,
): Promise<EvidenceViews> {
  const cited = citations(results);
  const looksAt = bodiesShown(results);
  const views = new Map<string, ExchangeView[]>();
  for await (const { target, exchange, note } of entries) {
    const known = views.get(target);
    const marks = cited.get(keyOf(target, exchange.number)) ?? null;
    const view = viewOf(exchange, note, marks, looksAt(target, exchange.number));
    if (known === undefined) views.set(target, [view]);
    else known.push(view);
  }
  for (const list of views.values()) list.sort((one, other) => one.number - other.number);
  return views;
}

/** Whether a report looks at the body of an exchange: of the first, and of those that it cites. */
export function bodiesShown(results: Results): (target: string, number: number) => boolean {
  const cited = citations(results);
  return (target, number) => number <= READ_BODIES || cited.has(keyOf(target, number));
}

/** Marks by target and exchange, for every exchange that a report cites. */
function citations(results: Results): ReadonlyMap<string, Marks> {
  const cited = new Map<string, Marks>();
  for (const target of results.targets) {
    for (const { exchanges } of target.observations) {
      for (const number of exchanges.slice(0, 3)) cited.set(keyOf(target.name, number), NO_MARKS);
    }
    for (const result of target.requirements) {
      for (const violation of result.violations) {
        const marks = marksFor(result, violation);
        for (const number of violation.exchanges.slice(0, 6)) {
          const key = keyOf(target.name, number);
          cited.set(key, joined(cited.get(key) ?? NO_MARKS, marks));
        }
      }
    }
  }
  return cited;
}

function joined(one: Marks, other: Marks): Marks {
  return {
    members: new Set([...one.members, ...other.members]),
    item: other.item ?? one.item,
    texts: new Set([...one.texts, ...other.texts]),
  };
}

function keyOf(target: string, number: number): string {
  return `${number} ${target}`;
}

function viewOf(
  exchange: Exchange,
  note: string | null,
  marks: Marks | null,
  withBody: boolean,
): ExchangeView {
  const { request, answer, failure } = exchange;
  const read =
    answer === null || !withBody ? null : readBody(answer.body, request.target, marks, answer.status === 200);
  return {
    number: exchange.number,
    method: request.method,
    origin: request.origin,
    requestTarget: request.target,
    requestHeaders: request.headers,
    requestBody: request.body,
    status: answer?.status ?? null,
    statusText: answer?.statusText ?? '',
    httpVersion: answer?.httpVersion ?? '',
    headers: answer?.headers ?? [],
    failure,
    body: read?.body ?? null,
    startedAt: exchange.startedAt,
    firstByteMs: exchange.firstByteMs,
    durationMs: exchange.durationMs,
    connection: exchange.connection,
    retry: exchange.retry,
    note,
    page: read?.page ?? null,
  };
}

function readBody(
  bytes: Uint8Array,
  requestTarget: string,
  marks: Marks | null,
  ok: boolean,
): { readonly body: BodyExcerpt; readonly page: PageFacts | null } {
  const size = marks === null ? PLAIN : CITED;
  const key = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const text = new TextDecoder().decode(bytes.subarray(0, PARSED_BYTES));
  let value: Json | undefined;
  if (bytes.length <= PARSED_BYTES) {
    try {
      value = JSON.parse(text) as Json;
    } catch {
      value = undefined;
    }
  }
  const excerpt =
    value === undefined ? excerptText(text, size) : excerptJson(text, marks ?? NO_MARKS, size, ok);
  return {
    body: { key, bytes: bytes.length, cut: excerpt.cut, lines: excerpt.lines },
    page: value === undefined || !ok ? null : pageFacts(requestTarget, value),
  };
}
