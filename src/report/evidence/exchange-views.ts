import type { Results } from '../../core/results.ts';
import type { EvidenceUses, EvidenceViews, ExchangeView, ReportEntry } from '../report-data.ts';
import { BodyReader, hashOf, marksFor } from './body-reader.ts';
import { type Marks, NO_MARKS } from './excerpt.ts';

/**
 * Number of exchanges per target whose bodies are read in addition to cited ones. Charts use the same
 * exchanges.
 */
export const READ_BODIES = 250;
/** Maximum bytes of bodies kept until the results show which are cited. */
const KEPT_BYTES = 4_194_304;

/** Rereads the exchanges; only the selected ones need a body. */
type Reread = (
  needsBody: (target: string, number: number) => boolean,
) => AsyncIterable<ReportEntry> | Iterable<ReportEntry>;

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
  const reader = new BodyReader();
  const views = new Map<string, ExchangeView[]>();
  for await (const entry of entries)
    listOf(views, entry.target).push(viewOf(entry, reader, cited.get(keyOf(entry)) ?? null));
  return inOrder(views);
}

/** Whether a report shows the body of an exchange: true for the first exchanges and for cited ones. */
export function bodiesShown(results: Results): (target: string, number: number) => boolean {
  const cited = citations(results);
  return (target, number) => number <= READ_BODIES || cited.has(keyFor(target, number));
}

/**
 * Collects evidence for a report during the run, before the results show what is cited. Bodies are kept until
 * then, up to a limit; later bodies get short excerpts and are reread if they are cited. The result equals
 * that of `gatherEvidence`.
 */
export class EvidenceCollector {
  readonly #reader = new BodyReader();
  readonly #views = new Map<string, ExchangeView[]>();
  /** Bodies by hash. */
  readonly #bodies = new Map<string, Uint8Array>();
  /** The hash of each exchange's body. */
  readonly #hashes = new Map<ExchangeView, string>();
  readonly #uses = new Map<string, EvidenceUses>();
  #keptBytes = 0;

  /** The exchanges that the checks of each target used, so far. */
  get uses(): ReadonlyMap<string, EvidenceUses> {
    return this.#uses;
  }

  /** Records which exchanges the checks of a target used. */
  conclude(target: string, uses: EvidenceUses): void {
    this.#uses.set(target, uses);
  }

  /** Adds a recorded exchange. */
  add(entry: ReportEntry): void {
    const body = entry.exchange.answer?.body ?? null;
    const hash = body === null ? '' : hashOf(entry, () => body);
    const kept = body !== null && this.#keep(hash, body);
    const view = kept ? headOf(entry) : viewOf(entry, this.#reader, null);
    listOf(this.#views, entry.target).push(view);
    if (kept) this.#hashes.set(view, hash);
  }

  /**
   * Returns the exchanges of the targets in the results, with longer excerpts of those they cite.
   *
   * @param reread called only if a cited body was not kept
   * @throws errors of rereading
   */
  async views(results: Results, reread: Reread): Promise<EvidenceViews> {
    const cited = citations(results);
    const views = new Map<string, ExchangeView[]>();
    const missing = new Set<string>();
    for (const { name: target } of results.targets) {
      const list = this.#views.get(target);
      const shown = list?.map((view) => {
        const key = keyFor(target, view.number);
        const marks = cited.get(key) ?? null;
        const hash = this.#hashes.get(view) ?? '';
        const body = this.#bodies.get(hash);
        if (body === undefined) {
          if (marks !== null && view.status !== null) missing.add(key);
          return view;
        }
        const unread = marks === null && view.number > READ_BODIES;
        return unread ? view : { ...view, ...this.#reader.read(hash, view, marks, () => body) };
      });
      if (shown !== undefined) views.set(target, shown);
    }
    if (missing.size > 0) await this.#reread(views, cited, missing, reread);
    return inOrder(views);
  }

  /** Keeps a body if there is room. Returns whether it is kept. */
  #keep(hash: string, body: Uint8Array): boolean {
    if (this.#bodies.has(hash)) return true;
    if (this.#keptBytes + body.length > KEPT_BYTES) return false;
    this.#bodies.set(hash, body);
    this.#keptBytes += body.length;
    return true;
  }

  async #reread(
    views: ReadonlyMap<string, ExchangeView[]>,
    cited: ReadonlyMap<string, Marks>,
    missing: ReadonlySet<string>,
    reread: Reread,
  ): Promise<void> {
    const places = new Map(
      [...views].flatMap(([target, list]) =>
        list.map((view, place) => [keyFor(target, view.number), { list, place }] as const),
      ),
    );
    for await (const entry of reread((target, number) => missing.has(keyFor(target, number)))) {
      const key = keyOf(entry);
      const found = missing.has(key) ? places.get(key) : undefined;
      if (found !== undefined) found.list[found.place] = viewOf(entry, this.#reader, cited.get(key) ?? null);
    }
  }
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

function keyOf({ target, exchange }: ReportEntry): string {
  return keyFor(target, exchange.number);
}

function keyFor(target: string, number: number): string {
  return `${number} ${target}`;
}

function listOf(views: Map<string, ExchangeView[]>, target: string): ExchangeView[] {
  const known = views.get(target);
  if (known !== undefined) return known;
  const list: ExchangeView[] = [];
  views.set(target, list);
  return list;
}

function inOrder(views: Map<string, ExchangeView[]>): EvidenceViews {
  for (const list of views.values()) list.sort((one, other) => one.number - other.number);
  return views;
}

function headOf({ exchange, note }: ReportEntry): ExchangeView {
  const { request, answer } = exchange;
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
    failure: exchange.failure,
    bytesReceived: answer?.bodyBytesOnWire ?? 0,
    body: null,
    startedAt: exchange.startedAt,
    firstByteMs: exchange.firstByteMs,
    durationMs: exchange.durationMs,
    connection: exchange.connection,
    retry: exchange.retry,
    note,
    page: null,
  };
}

function viewOf(entry: ReportEntry, reader: BodyReader, marks: Marks | null): ExchangeView {
  const head = headOf(entry);
  const { answer } = entry.exchange;
  if (answer === null || (marks === null && head.number > READ_BODIES)) return head;
  const hash = hashOf(entry, () => answer.body);
  return { ...head, ...reader.read(hash, head, marks, () => answer.body) };
}
