import type { Exchange, Failure, HttpRequest } from '../core/exchange.ts';
import type { Limits } from '../target/target.ts';
import { failure } from './failure.ts';
import type { Trouble } from './retry.ts';

/** Rebuffs in a row at one path, each after all its repetitions, from which on none is repeated any more. */
const REBUFFS_BEFORE_HASTE = 3;
/** Rebuffs in a row at one path from which on nothing more is sent there. */
const REBUFFS_BEFORE_SILENCE = 12;

/** What is known of one path. */
interface Standing {
  /** Rebuffs in a row. */
  rebuffs: number;
  /** The last of them. */
  rebuff: string;
  timedOut: boolean;
}

/**
 * How much of a run is spent on waiting for answers that do not come. A provider that lets every request run
 * into its time limit, or asks for patience without end, would otherwise hold a run for that long times the
 * number of its questions.
 *
 * Time in which requests ran into `answerTimeoutMs` or `connectTimeoutMs` is counted once however many waited.
 * Where it comes to `retries - 1` whole timeouts (at least one), paths that let a request run out are not asked
 * again, so that with what is under way then no more than `retries` timeouts are lost.
 */
export class Endurance {
  readonly #limits: Pick<Limits, 'answerTimeoutMs' | 'retries'>;
  readonly #paths = new Map<string, Standing>();
  #lostMs = 0;
  #lostUntil = 0;

  constructor(limits: Pick<Limits, 'answerTimeoutMs' | 'retries'>) {
    this.#limits = limits;
  }

  /** Whether waiting may help a request: false once it did not help those before it. */
  isHopeful(request: HttpRequest): boolean {
    return (this.#paths.get(pathOf(request))?.rebuffs ?? 0) < REBUFFS_BEFORE_HASTE;
  }

  /** Why nothing more is sent to the path of a request; null where it is asked. */
  refusal(request: HttpRequest): Failure | null {
    const standing = this.#paths.get(pathOf(request));
    if (standing === undefined) return null;
    const where = `nothing more was sent to ${pathOf(request)}`;
    if (standing.rebuffs >= REBUFFS_BEFORE_SILENCE) {
      return failure(
        'retry-later',
        `${where}: ${standing.rebuffs} requests in a row came to nothing, the last one with ${standing.rebuff}`,
      );
    }
    if (!standing.timedOut || this.#lostMs < this.#mostMs()) return null;
    const seconds = Math.round(this.#lostMs / 100) / 10;
    return failure('retry-later', `${where}: ${seconds} s went by in waiting for answers that did not come`);
  }

  /** Takes notice of what a request, its repetitions included, came to. */
  note(exchange: Exchange, trouble: Trouble | null): void {
    const key = pathOf(exchange.request);
    const standing = this.#paths.get(key) ?? { rebuffs: 0, rebuff: '', timedOut: false };
    this.#paths.set(key, standing);
    const code = exchange.failure?.code;
    if (code === 'answer-timeout' || code === 'connect-timeout') {
      standing.timedOut = true;
      this.#lose(exchange.startedAt, exchange.startedAt + exchange.durationMs);
    } else if (trouble === 'throttled' || trouble === 'unavailable') {
      standing.rebuffs += 1;
      standing.rebuff =
        exchange.answer === null ? 'a refused connection' : `status ${exchange.answer.status}`;
    } else if (exchange.answer !== null) {
      standing.rebuffs = 0;
    }
  }

  #lose(from: number, until: number): void {
    this.#lostMs += Math.max(0, until - Math.max(from, this.#lostUntil));
    this.#lostUntil = Math.max(this.#lostUntil, until);
  }

  // A timer may fire a moment early.
  #mostMs(): number {
    return 0.95 * this.#limits.answerTimeoutMs * Math.max(1, this.#limits.retries - 1);
  }
}

/** The path of a request with its origin: what provider and Assay keep apart when one asks the other for patience. */
export function pathOf({ origin, target }: HttpRequest): string {
  return origin + (target.split('?', 1)[0] ?? '');
}
