import { createHash } from 'node:crypto';
import type { Json } from '../core/results.ts';
import type { EvidenceHead } from '../evidence/reader.ts';
import { type Difference, difference } from './differences.ts';

/**
 * Checks evidence lines as they are read: each exchange number occurs once, and each body has the hash and
 * length stated in its line. The order of lines is not checked.
 */
export class EvidenceFaults {
  readonly found: Difference[] = [];
  readonly #numbers = new Map<string, Set<number>>();
  /** Length of each verified body in bytes, by hash. */
  readonly #bodies = new Map<string, number>();

  check({ line, body }: Extract<EvidenceHead, { readonly kind: 'exchange' }>): void {
    const { target, number, answer } = line;
    const compare = (field: string, before: Json, now: Json | undefined): void => {
      if (before !== now)
        this.found.push(difference({ target, of: `exchange ${number}`, field }, before, now));
    };
    const numbers = this.#numbers.get(target) ?? new Set();
    this.#numbers.set(target, numbers);
    if (numbers.has(number)) compare('lines', 2, 1);
    numbers.add(number);
    if (answer === null) return;
    const { sha256, bytes } = answer.body;
    const content = body?.() ?? null;
    if (content === null) {
      compare('body.bytes', bytes, this.#bodies.get(sha256));
      return;
    }
    const found = createHash('sha256').update(content).digest('hex');
    this.#bodies.set(found, content.length);
    compare('body.sha256', sha256, found);
    compare('body.bytes', bytes, content.length);
  }
}
