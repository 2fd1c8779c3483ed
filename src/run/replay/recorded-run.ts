import type { HttpRequest } from '../../core/exchange.ts';
import { getOrMake } from '../../core/maps.ts';
import { isCustomCheck } from '../../core/requirement-id.ts';
import type { EvidenceEntry, EvidenceSetting } from '../../evidence/line.ts';
import { type ExchangeLine, readEvidence, readEvidenceLines } from '../../evidence/reader.ts';
import { compare, type Difference, EvidenceFaults } from './differences.ts';

/** A request of a run and its retries. */
interface Chain {
  readonly check: string | null;
  /** The request and the number of its first exchange. */
  readonly first: { readonly target: string; readonly number: number; readonly request: string };
  /** Its exchanges in the order of recording. The check received the answer of the last one. */
  readonly attempts: Attempt[];
  nextRetry: number;
}

export interface Attempt {
  /** Its position among the exchanges, from 0. */
  readonly index: number;
  /** When it ended, in milliseconds since the epoch. */
  readonly endedAt: number;
  /** Why the run was stopped before an answer arrived; null otherwise. */
  readonly stop: 'interrupted' | 'time-limit' | null;
  /** Whether it had a connection. */
  readonly isSent: boolean;
  /** Whether a retry may follow: it was throttled or got no answer. */
  readonly unanswered: boolean;
}

/** Headers that the HTTP client adds, or that depend on the version of Assay. */
const OWN_HEADERS = new Set(['host', 'user-agent', 'accept-encoding', 'connection', 'content-length']);

/** A key that is equal for equal requests to a target. The request must be redacted. */
export function keyOf(target: string, request: HttpRequest): string {
  const { method, origin, headers, body } = request;
  const checkHeaders = headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  return JSON.stringify([target, method, origin, request.target, checkHeaders, body]);
}

/**
 * Answers requests from the evidence of a run: the n-th request of a kind gets the n-th answer. Bodies are
 * read from the file on demand, in file order.
 */
export class RecordedRun {
  readonly settings: ReadonlyMap<string, EvidenceSetting>;
  /** Names of all targets in the evidence. */
  readonly targets: ReadonlySet<string>;
  /** Whether a stop of the run aborted any request. */
  readonly interrupted: boolean;
  /** Contradictions in the evidence. */
  readonly faults: readonly Difference[];
  readonly #chains: Map<string, Chain[]>;
  readonly #entries: AsyncIterator<EvidenceEntry>;
  /** Entries that were read ahead. */
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
    this.targets = new Set([...settings.keys(), ...all.map(({ first }) => first.target)]);
    this.interrupted = all.some((chain) => lastOf(chain).stop === 'interrupted');
    this.faults = faults;
    this.#chains = chains;
    this.#entries = readEvidence(file)[Symbol.asyncIterator]();
  }

  /**
   * Reads the requests and checks the hash of each body, without keeping bodies in memory.
   *
   * @throws EvidenceError if the file is missing, truncated or not evidence
   */
  static async open(file: string): Promise<RecordedRun> {
    const settings = new Map<string, EvidenceSetting>();
    const chains = new Map<string, Chain[]>();
    const faults = new EvidenceFaults();
    let index = 0;
    for await (const { line, body } of readEvidenceLines(file)) {
      if ('request' in line) {
        faults.check(line, body);
        addTo(chains, line, index++);
      }
      // The settings of the first worker count: later ones have other labels for secrets.
      else if ('setting' in line && !settings.has(line.target)) settings.set(line.target, line.setting);
    }
    for (const equal of chains.values()) equal.sort((one, other) => one.first.number - other.first.number);
    return new RecordedRun(file, settings, chains, faults.found);
  }

  /**
   * Takes the chain that answers a request: one of the same check if possible, otherwise the first. Each chain is used once. A
   * run uses its newest token. If a token and another answer arrived together, the replay may send a request with another token
   * than the run did; then the chain of the same request with any token is used.
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

  /** Whether a request of these targets that was in progress when the run stopped has not been claimed yet. */
  isInProgress(targets: ReadonlySet<string>): boolean {
    return this.#unclaimed(targets).some((chain) => lastOf(chain).stop !== null && lastOf(chain).isSent);
  }

  /** Exchanges of these targets that a complete replay did not request, except requests that a stop aborted. */
  unrequested(targets: ReadonlySet<string>): readonly Difference[] {
    return this.#unclaimed(targets)
      .filter((chain) => lastOf(chain).stop === null)
      .flatMap(({ first: { target, number, request } }) =>
        compare({ target, of: `exchange ${number}`, field: 'request' }, request, undefined),
      );
  }

  // Without those of custom checks, which a replay does not run.
  #unclaimed(targets: ReadonlySet<string>): readonly Chain[] {
    return [...this.#chains.values()]
      .flat()
      .filter(({ check, first }) => !isCustomCheck({ id: check ?? '' }) && targets.has(first.target));
  }

  /** Returns the entry at an index; each can be read once. `passing` is called with every entry read for the first time. */
  async entry(index: number, passing: (entry: EvidenceEntry) => void): Promise<EvidenceEntry> {
    while (this.#read <= index) {
      const { value, done } = await this.#entries.next();
      if (done === true) throw new Error('the evidence ended before its last line');
      passing(value);
      this.#kept.set(this.#read++, value);
    }
    const entry = this.#kept.get(index);
    if (entry === undefined) throw new Error('an exchange of the evidence was requested twice');
    this.#kept.delete(index);
    return entry;
  }
}

/** The label of a complete token in an Authorization header. */
const TOKEN_LABEL = /Bearer \[token-\d+\]/;

function anyToken(key: string): string {
  return key.replace(TOKEN_LABEL, 'Bearer [token]');
}

function take(chains: Chain[], check: string | null): Chain | null {
  const index = chains.findIndex((chain) => chain.check === check);
  const [chain] = chains.splice(Math.max(0, index), 1);
  return chain ?? null;
}

function addTo(chains: Map<string, Chain[]>, line: ExchangeLine, index: number): void {
  const { target, number, retry, request, check = null, failure, answer } = line;
  const known = getOrMake(chains, keyOf(target, request), () => []);
  const code = failure?.code;
  const status = answer?.status;
  const attempt: Attempt = {
    index,
    endedAt: Date.parse(line.startedAt) + line.durationMs,
    stop: code === 'interrupted' || code === 'time-limit' ? code : null,
    isSent: line.connection !== null,
    unanswered: status === undefined || status === 429 || status >= 500,
  };
  // A retry belongs to the oldest equal request of the same check with the same number of attempts.
  const candidates = retry === 0 ? [] : known.filter((one) => one.nextRetry === retry && one.check === check);
  // A truncated answer looks complete; if no attempt was unanswered, the latest one was truncated.
  const original = candidates.find((one) => lastOf(one).unanswered) ?? candidates.at(-1);
  if (original === undefined) {
    const first = { target, number, request: `${request.method} ${request.target}` };
    known.push({ check, first, attempts: [attempt], nextRetry: retry + 1 });
    return;
  }
  original.attempts.push(attempt);
  original.nextRetry += 1;
}

function lastOf({ attempts }: Chain): Attempt {
  return attempts.at(-1) as Attempt;
}
