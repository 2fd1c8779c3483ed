import { createHash } from 'node:crypto';
import type { Json } from '../core/results.ts';
import type { EvidenceHead } from '../evidence/reader.ts';
import { type Difference, difference } from './differences.ts';

/**
 * Checks the lines of evidence while they are read: no exchange number occurs twice, and each body has the hash
 * and the length of its line. The order of lines is not checked.
 */
export class EvidenceFaults {
  readonly found: Difference[] = [];
  readonly #numbers = new Map<string, Set<number>>();
  /** Bytes of each body whose hash was checked. */
  readonly #bodies = new Map<string, number>();

  take({ line, body }: Extract<EvidenceHead, { readonly kind: 'exchange' }>): void {
    const { target, number, answer } = line;
    const tell = (field: string, before: Json, now: Json | undefined): void => {
      if (before !== now)
        this.found.push(difference({ target, of: `exchange ${number}`, field }, before, now));
    };
    const numbers = this.#numbers.get(target) ?? new Set();
    this.#numbers.set(target, numbers);
    if (numbers.has(number)) tell('lines', 2, 1);
    numbers.add(number);
    if (answer === null) return;
    const { sha256, bytes } = answer.body;
    const content = body?.() ?? null;
    if (content === null) {
      tell('body.bytes', bytes, this.#bodies.get(sha256));
      return;
    }
    const found = createHash('sha256').update(content).digest('hex');
    this.#bodies.set(found, content.length);
    tell('body.sha256', sha256, found);
    tell('body.bytes', bytes, content.length);
  }
}
