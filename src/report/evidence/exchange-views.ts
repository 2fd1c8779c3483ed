import type { Results } from '../../core/results.ts';
import { sha256 } from '../../core/sha256.ts';
import type { EvidenceViews, ExchangeView, ReportEntry } from '../report-data.ts';
import { marksFor, readBody } from './body-reader.ts';
import { type Marks, NO_MARKS } from './excerpt.ts';

/**
 * Number of exchanges per target whose bodies are read in addition to cited ones. Charts use the same
 * exchanges.
 */
export const READ_BODIES = 200;

/**
 * Reads evidence for a report. Bodies are reduced to excerpts one by one, so that a large run takes little
 * memory. Cited bodies have longer excerpts in which the wrong member is marked.
 *
 * @throws errors of reading the entries
 */
export async function gatherEvidence(
  results: Results,
  entries: AsyncIterable<ReportEntry> | Iterable<ReportEntry>,
): Promise<EvidenceViews> {
  const cited = citations(results);
  const views = new Map<string, ExchangeView[]>();
  for await (const entry of entries) {
    const { target, exchange } = entry;
    const view = viewOf(entry, cited.get(keyFor(target, exchange.number)) ?? null);
    const list = views.get(target);
    if (list === undefined) views.set(target, [view]);
    else list.push(view);
  }
  for (const list of views.values()) list.sort((one, other) => one.number - other.number);
  return views;
}

/** Whether a report shows the body of an exchange: true for the first exchanges and for cited ones. */
export function bodiesShown(results: Results): (target: string, number: number) => boolean {
  const cited = citations(results);
  return (target, number) => number <= READ_BODIES || cited.has(keyFor(target, number));
}

/** Marks by target and exchange, for every exchange that a report cites. */
function citations(results: Results): ReadonlyMap<string, Marks> {
  const cited = new Map<string, Marks>();
  const cite = (target: string, numbers: readonly number[], marks: Marks): void => {
    for (const key of numbers.map((number) => keyFor(target, number))) {
      const known = cited.get(key) ?? NO_MARKS;
      cited.set(key, {
        members: new Set([...known.members, ...marks.members]),
        item: marks.item ?? known.item,
        texts: new Set([...known.texts, ...marks.texts]),
      });
    }
  };
  for (const { name, observations, requirements } of results.targets) {
    for (const { exchanges } of observations) cite(name, exchanges.slice(0, 3), NO_MARKS);
    for (const result of requirements)
      for (const violation of result.violations)
        cite(name, violation.exchanges.slice(0, 6), marksFor(result, violation));
  }
  return cited;
}

function keyFor(target: string, number: number): string {
  return `${number} ${target}`;
}

function viewOf({ exchange, bodyHash }: ReportEntry, marks: Marks | null): ExchangeView {
  if (exchange.answer === null) return { ...exchange, answer: null, body: null, page: null };
  const { status, statusText, httpVersion, headers, bodyBytesOnWire } = exchange.answer;
  const answer = { status, statusText, httpVersion, headers, bodyBytesOnWire };
  const head = { ...exchange, answer, body: null, page: null };
  if (marks === null && exchange.number > READ_BODIES) return head;
  // Read only here: the evidence has no bodies that no report shows.
  const { body } = exchange.answer;
  const call = { target: exchange.request.target, status };
  return { ...head, ...readBody(bodyHash ?? sha256(body), call, marks, body) };
}
