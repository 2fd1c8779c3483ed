import type { Results } from '../../core/results.ts';
import { sha256 } from '../../core/sha256.ts';
import type { EvidenceUses, EvidenceViews, ExchangeView, ReportEntry } from '../report-data.ts';
import { marksFor, READ_BYTES, readBody } from './body-reader.ts';
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

/** Most bytes of bodies that `RunRecord` keeps. */
const KEPT_BYTES = 16_777_216;

/**
 * What a run recorded, kept while it goes on: to read the evidence of many pages again takes longer than to show it.
 * Bodies are kept up to a limit, only of the exchanges that a report shows in any case, and no more of them than it reads.
 */
export class RunRecord {
  readonly uses = new Map<string, EvidenceUses>();
  readonly #entries: ReportEntry[] = [];
  readonly #withoutBody = new Set<string>();
  #keptBytes = 0;

  /** Keeps an exchange without secrets. */
  add(entry: ReportEntry): void {
    const { target, exchange } = entry;
    const { answer, number } = exchange;
    if (answer === null) {
      this.#entries.push(entry);
      return;
    }
    const bodyBytes = answer.body.length;
    const kept = Math.min(bodyBytes, READ_BYTES);
    const isKept = number <= READ_BODIES && this.#keptBytes + kept <= KEPT_BYTES;
    if (isKept) this.#keptBytes += kept;
    else this.#withoutBody.add(keyFor(target, number));
    const start = answer.body.subarray(0, isKept ? kept : 0);
    // A copy, since a part of an array keeps the whole.
    const body = start.length < bodyBytes ? new Uint8Array(start) : answer.body;
    this.#entries.push({ ...entry, bodyBytes, exchange: { ...exchange, answer: { ...answer, body } } });
  }

  conclude(target: string, uses: EvidenceUses): void {
    this.uses.set(target, uses);
  }

  /** The exchanges of the targets in the results; null if a body that a report shows was not kept. */
  entriesOf(results: Results): readonly ReportEntry[] | null {
    const names = new Set(results.targets.map(({ name }) => name));
    const isShown = bodiesShown(results);
    const entries = this.#entries.filter(({ target }) => names.has(target));
    const isIncomplete = entries.some(
      ({ target, exchange: { number } }) =>
        isShown(target, number) && this.#withoutBody.has(keyFor(target, number)),
    );
    return isIncomplete ? null : entries;
  }
}

/** Whether a report shows the body of an exchange: true for the first exchanges and for cited ones. */
export function bodiesShown(results: Results): (target: string, number: number) => boolean {
  const cited = citations(results);
  return (target, number) => number <= READ_BODIES || cited.has(keyFor(target, number));
}

/** Marks by target and exchange, for every exchange that a report cites. */
function citations(results: Results): ReadonlyMap<string, Marks> {
  const cited = new Map<string, Marks>();
  for (const target of results.targets) {
    for (const { exchanges } of target.observations) {
      for (const number of exchanges.slice(0, 3)) cited.set(keyFor(target.name, number), NO_MARKS);
    }
    for (const result of target.requirements) {
      for (const violation of result.violations) {
        const marks = marksFor(result, violation);
        for (const number of violation.exchanges.slice(0, 6)) {
          const key = keyFor(target.name, number);
          cited.set(key, mergeMarks(cited.get(key) ?? NO_MARKS, marks));
        }
      }
    }
  }
  return cited;
}

function mergeMarks(one: Marks, other: Marks): Marks {
  return {
    members: new Set([...one.members, ...other.members]),
    item: other.item ?? one.item,
    texts: new Set([...one.texts, ...other.texts]),
  };
}

function keyFor(target: string, number: number): string {
  return `${number} ${target}`;
}

function viewOf({ exchange, bodyHash, bodyBytes }: ReportEntry, marks: Marks | null): ExchangeView {
  if (exchange.answer === null) return { ...exchange, answer: null, body: null, page: null };
  const { body, ...answer } = exchange.answer;
  const head = { ...exchange, answer, body: null, page: null };
  if (marks === null && exchange.number > READ_BODIES) return head;
  const call = { target: exchange.request.target, status: answer.status };
  return { ...head, ...readBody(bodyHash ?? sha256(body), call, marks, body, bodyBytes) };
}
