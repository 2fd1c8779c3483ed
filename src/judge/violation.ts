import type { Exchange, HttpRequest } from '../core/exchange.ts';
import type { Json } from '../core/results.ts';
import { LIST_PARAMETERS, parametersOf } from '../provider/link.ts';
import type { ListAnswer } from '../provider/page.ts';
import type { TokenAnswer } from '../provider/token-answer.ts';
import type { Step } from '../provider/traversal.ts';

/** A breach that a check finds, before it is confirmed. */
export interface Breach {
  /** One sentence: what was requested, what was answered, what the rule says. */
  readonly message: string;
  readonly expected: Json;
  readonly actual: Json;
  readonly counterexample?: { readonly [name: string]: Json };
  /** Numbers of the exchanges that prove it, the most important one first. */
  readonly exchanges: readonly number[];
  /** The request whose answer shows it, if it is not that of the first exchange. */
  readonly request?: HttpRequest;
  /** Identifies the breach when it shows again; the message if left out. */
  readonly key?: string;
  /** True if the breach shows only by comparing the first two exchanges; reports then give both requests. */
  readonly comparesTwo?: true;
  /** The requests that show it together, in their order, if the first exchange alone does not. */
  readonly sequence?: readonly SequenceStep[];
  /** Whether the requests of the sequence show it on one connection only. */
  readonly onOneConnection?: true;
  /** True if no change of the data explains it: it is confirmed although the data does not rest. */
  readonly isForAnyData?: true;
  /**
   * Records that the list held the whole time. The breach is confirmed although the data changes if a later
   * count shows at least this many.
   */
  readonly heldRecords?: number;
  /** True if it is not proven and must not be reported, only checked on another snapshot. */
  readonly suspected?: true;
}

/** What proves a breach: an exchange, an answer, or the page of a step; or the number of its exchange. */
type Proof =
  | number
  | Exchange
  | Pick<ListAnswer, 'exchange'>
  | Pick<TokenAnswer, 'exchange'>
  | Pick<Step, 'page'>;

interface StatedBreach extends Omit<Breach, 'exchanges'> {
  /** What proves it, the most important first; null and undefined for what is not there. */
  readonly exchanges: readonly (Proof | null | undefined)[];
}

function numberOf(proof: Proof): number {
  if (typeof proof === 'number') return proof;
  if ('page' in proof) return proof.page.exchange;
  if ('number' in proof) return proof.number;
  return typeof proof.exchange === 'number' ? proof.exchange : proof.exchange.number;
}

/**
 * What marks a breach that shows only after another request over the same connection: both requests, to be sent over one.
 *
 * @param before number of the exchange before it; undefined if there is none, and then nothing is marked
 */
export function afterOnConnection(
  before: number | undefined,
  shown: SequenceStep,
): Pick<Breach, 'sequence' | 'onOneConnection'> {
  if (before === undefined || before >= shown.exchange) return {};
  return { sequence: [{ exchange: before, token: null }, shown], onOneConnection: true };
}

export interface SequenceStep {
  readonly exchange: number;
  /** Which of the sequence's tokens it requests or carries, from 1; null for none. */
  readonly token: number | null;
}

/** Thrown by a check if the provider breaks the requirement. Nothing else makes a verdict `fail`. */
export class Violation extends Error {
  readonly breaches: readonly Breach[];

  /** Expects at least one breach; the first names the violation. */
  constructor(breaches: StatedBreach | readonly StatedBreach[]) {
    const all: readonly StatedBreach[] = 'message' in breaches ? [breaches] : breaches;
    super(all[0]?.message ?? 'a breach');
    this.name = 'Violation';
    this.breaches = all.map((breach) => ({
      ...breach,
      exchanges: breach.exchanges.filter((proof) => proof != null).map(numberOf),
    }));
  }

  /**
   * Returns a copy with words before and after each message, such as whose token shows it, or the share of answers that do.
   *
   * @param exchanges what proves it, given the exchanges so far
   */
  withWords(
    { before = '', after = '' }: { readonly before?: string; readonly after?: string },
    exchanges: (own: readonly number[]) => StatedBreach['exchanges'] = (own) => own,
  ): Violation {
    return new Violation(
      this.breaches.map((breach) => ({
        ...breach,
        message: before + breach.message + after,
        exchanges: exchanges(breach.exchanges),
      })),
    );
  }
}

/** What the answer to a list call adds to a breach that it shows. */
export interface BreachOfAnswer extends Omit<Breach, 'exchanges'> {
  /** What else proves it; the answer is compared with the first of these. */
  readonly further?: StatedBreach['exchanges'];
}

/** The violation that the answer to one list call shows: the request is its counterexample, and its key unless given. */
export function violationOn(
  { target, exchange }: Pick<ListAnswer, 'target' | 'exchange'>,
  { further = [], ...breach }: BreachOfAnswer,
): Violation {
  const counterexample = { request: target };
  const exchanges = [exchange, ...further];
  const compared: Pick<Breach, 'comparesTwo'> = further.some((proof) => proof != null)
    ? { comparesTwo: true }
    : {};
  return new Violation({ key: target, counterexample, exchanges, ...compared, ...breach });
}

/** The violation of calls, or token requests, of which one was answered with that status instead of 200. */
export function violationOfStatus(
  status: number | null,
  breach: Omit<StatedBreach, 'expected' | 'actual'>,
): Violation {
  return new Violation({ ...breach, expected: 200, actual: status });
}

/**
 * The key under which two findings are the same breach. Parameters that the specification does not name are left out:
 * a link may carry one that changes with each answer, such as a time or a nonce.
 */
export function keyOf({ key, message }: Breach): string {
  return (key ?? message).replaceAll(/\?\S*/g, (query) => {
    const named = parametersOf(query).filter(({ name }) => LIST_PARAMETERS.includes(name));
    return `?${named
      .map(({ name, value }) => `${name}=${value}`)
      .sort()
      .join('&')}`;
  });
}
