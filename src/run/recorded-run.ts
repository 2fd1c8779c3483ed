import { isCustomCheck } from '../core/custom-check-id.ts';
import type { HttpRequest } from '../core/exchange.ts';
import type { EvidenceEntry } from '../evidence/evidence-entry.ts';
import type { EvidenceLine, EvidenceSetting } from '../evidence/line.ts';
import { readEvidence, readEvidenceHeads } from '../evidence/reader.ts';
import { type Difference, difference } from './differences.ts';
import { EvidenceFaults } from './evidence-faults.ts';

/** One request of a run and its repetitions. */
export interface Chain {
  readonly check: string | null;
  /** Indexes of its exchanges in the evidence, from 0, in order. */
  readonly places: readonly number[];
  /** Index of the last exchange, whose answer the check received. */
  readonly last: number;
  /** When that exchange ended, in milliseconds since the epoch. */
  readonly endedAt: number;
  /** Set if the run was stopped before it was answered. */
  readonly stop: 'interrupted' | 'time-limit' | null;
  /** Whether the last exchange had reached a connection. */
  readonly isSent: boolean;
  /** The request, and its first exchange. */
  readonly asked: { readonly target: string; readonly number: number; readonly request: string };
}

interface OpenChain {
  readonly check: string | null;
  readonly places: number[];
  endedAt: number;
  stop: Chain['stop'];
  isSent: boolean;
  attempts: number;
  /** Whether a repetition may follow: the last attempt was throttled or never answered. */
  unanswered: boolean;
  readonly asked: Chain['asked'];
}

/** Headers that the HTTP client adds, and those that depend on the version of Assay. */
const OWN_HEADERS = new Set(['host', 'user-agent', 'accept-encoding', 'connection', 'content-length']);

/** A key that is equal for equal requests to one target; expects a request without secrets. */
export function keyOf(target: string, request: HttpRequest): string {
  const { method, origin, headers, body } = request;
  const asked = headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  return JSON.stringify([target, method, origin, request.target, asked, body]);
}

/**
 * The evidence of a run, to answer requests again: the n-th request of a kind gets the n-th answer. Bodies are
 * read from the file when they are needed, in its order.
 */
export class RecordedRun {
  readonly settings: ReadonlyMap<string, EvidenceSetting>;
  /** Names of all targets in the evidence. */
  readonly targets: ReadonlySet<string>;
  /** Whether a stop of the run ended any request without an answer. */
  readonly interrupted: boolean;
  /** Contradictions within the evidence. */
  readonly faults: readonly Difference[];
  readonly #chains: Map<string, Chain[]>;
  readonly #entries: AsyncIterator<EvidenceEntry>;
  /** Entries that were read before they were needed. */
  readonly #kept = new Map<number, EvidenceEntry>();
  #read = 0;

  private constructor(
    file: string,
    settings: ReadonlyMap<string, EvidenceSetting>,
    chains: Map<string, Chain[]>,
    faults: readonly Difference[],
  ) {
    const all = [...chains.values()].flat();
    this.settings = settings;
    this.targets = new Set([...settings.keys(), ...all.map(({ asked }) => asked.target)]);
    this.interrupted = all.some(({ stop }) => stop === 'interrupted');
    this.faults = faults;
    this.#chains = chains;
    this.#entries = readEvidence(file)[Symbol.asyncIterator]();
  }

  /**
   * Reads the requests and checks the hash of each body; bodies are not kept in memory.
   *
   * @throws EvidenceError if the file is missing, cut off, or no evidence.
   */
  static async open(file: string): Promise<RecordedRun> {
    const settings = new Map<string, EvidenceSetting>();
    const chains = new Map<string, OpenChain[]>();
    const faults = new EvidenceFaults();
    let place = 0;
    for await (const head of readEvidenceHeads(file, true)) {
      if (head.kind === 'exchange') {
        faults.take(head);
        addTo(chains, head.line, place++);
      }
      // The first of several workers counts: later ones have other labels for secrets.
      else if (!settings.has(head.target)) settings.set(head.target, head.setting);
    }
    const inOrder = [...chains].map(([key, open]): [string, Chain[]] => [
      key,
      open.toSorted((one, other) => one.asked.number - other.asked.number).map(closed),
    ]);
    return new RecordedRun(file, settings, new Map(inOrder), faults.found);
  }

  /**
   * Takes the chain that answers a request: one of the same check if possible, otherwise the first. Each is taken once.
   * A run uses its newest token. If a token and another answer arrived together, the replay may use another token of the
   * run for the same request than the run did: then the chain of that request counts.
   */
  claim(key: string, check: string | null): Chain | null {
    const exact = take(this.#chains.get(key) ?? [], check);
    if (exact !== null || !TOKEN_LABEL.test(key)) return exact;
    const any = anyToken(key);
    const others = [...this.#chains].filter(
      ([other, chains]) => chains.length > 0 && anyToken(other) === any,
    );
    const sameCheck = others.find(([, chains]) => chains.some((chain) => chain.check === check));
    return take((sameCheck ?? others[0])?.[1] ?? [], check);
  }

  /**
   * Whether a request of these targets that was in progress when the run was stopped has not been claimed yet.
   * Requests of custom checks do not count: these are not judged again.
   */
  isUnderWay(targets: ReadonlySet<string>): boolean {
    return [...this.#chains.values()]
      .flat()
      .some(
        ({ stop, isSent, check, asked }) =>
          stop !== null && isSent && !isCustomCheck({ id: check ?? '' }) && targets.has(asked.target),
      );
  }

  /**
   * Exchanges of these targets that a complete replay did not request. Requests without an answer because of a
   * stop, and those of custom checks, do not count.
   */
  unasked(targets: ReadonlySet<string>): readonly Difference[] {
    return [...this.#chains.values()]
      .flat()
      .filter(
        ({ stop, check, asked }) =>
          stop === null && !isCustomCheck({ id: check ?? '' }) && targets.has(asked.target),
      )
      .map(({ asked: { target, number, request } }) =>
        difference({ target, of: `exchange ${number}`, field: 'request' }, request, undefined),
      );
  }

  /** The entry at an index; each can be read once. `passing` is called with every entry that is read for the first time. */
  async entry(place: number, passing: (entry: EvidenceEntry) => void): Promise<EvidenceEntry> {
    while (this.#read <= place) {
      const { value, done } = await this.#entries.next();
      if (done === true) throw new Error('the evidence ended before its last line');
      passing(value);
      this.#kept.set(this.#read++, value);
    }
    const entry = this.#kept.get(place);
    if (entry === undefined) throw new Error('an exchange of the evidence was asked for twice');
    this.#kept.delete(place);
    return entry;
  }
}

/** The label of a token of the run as a whole, as it is in an Authorization header. */
const TOKEN_LABEL = /Bearer \[token-\d+\]/;

function anyToken(key: string): string {
  return key.replace(TOKEN_LABEL, 'Bearer [token]');
}

function take(chains: Chain[], check: string | null): Chain | null {
  const own = chains.findIndex((chain) => chain.check === check);
  const [taken] = chains.splice(Math.max(0, own), 1);
  return taken ?? null;
}

function addTo(chains: Map<string, OpenChain[]>, line: Omit<EvidenceLine, 'body'>, place: number): void {
  const key = keyOf(line.target, line.request);
  const known = chains.get(key) ?? [];
  chains.set(key, known);
  const code = line.failure?.code;
  const stop = code === 'interrupted' || code === 'time-limit' ? code : null;
  const endedAt = Date.parse(line.startedAt) + line.durationMs;
  const status = line.answer?.status;
  const isSent = line.connection !== null;
  const unanswered = status === undefined || status === 429 || status >= 500;
  // A repetition belongs to the oldest equal request of the same check with as many attempts.
  const check = line.check ?? null;
  const before =
    line.retry === 0 ? [] : known.filter((one) => one.attempts === line.retry && one.check === check);
  // An answer that was cut off looks like any other, but not all of them do: it is the latest.
  const repeated = before.find((one) => one.unanswered) ?? before.at(-1);
  if (repeated === undefined) {
    const { target, number, retry, request } = line;
    known.push({
      check,
      places: [place],
      endedAt,
      stop,
      isSent,
      attempts: retry + 1,
      unanswered,
      asked: { target, number, request: `${request.method} ${request.target}` },
    });
    return;
  }
  repeated.places.push(place);
  repeated.endedAt = endedAt;
  repeated.stop = stop;
  repeated.isSent = isSent;
  repeated.attempts += 1;
  repeated.unanswered = unanswered;
}

function closed({ check, places, endedAt, stop, isSent, asked }: OpenChain): Chain {
  return { check, places, endedAt, stop, isSent, asked, last: places.at(-1) ?? 0 };
}
