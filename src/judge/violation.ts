import type { HttpRequest } from '../core/exchange.ts';
import type { Json } from '../core/results.ts';

/** A breach as a check finds it, before it is confirmed. */
export interface Breach {
  /** One sentence: what was asked, what came back, what the rule says. */
  readonly message: string;
  readonly expected: Json;
  readonly actual: Json;
  readonly counterexample?: { readonly [name: string]: Json };
  /** Numbers of the exchanges that prove it, the telling one first. */
  readonly exchanges: readonly number[];
  /** The request whose answer shows it, where it is not that of the first exchange. */
  readonly request?: HttpRequest;
  /** What makes it the same breach when it shows again; the message where left out. */
  readonly key?: string;
  /** True for what is not proven yet, and so never reported: it only asks for another snapshot. */
  readonly suspected?: true;
}

/** Thrown by a check: the provider breaks the requirement. The only thing that makes a verdict `fail`. */
export class Violation extends Error {
  readonly breaches: readonly Breach[];

  /** Expects at least one breach; the first names the violation. */
  constructor(breaches: Breach | readonly Breach[]) {
    const all: readonly (Breach | undefined)[] = 'message' in breaches ? [breaches] : breaches;
    super(all[0]?.message ?? 'a breach');
    this.name = 'Violation';
    this.breaches = all.filter((breach) => breach !== undefined);
  }
}
