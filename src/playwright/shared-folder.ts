import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Exchange } from '../core/exchange.ts';
import { type LoggedExchange, loggedOf } from '../core/traffic.ts';
import type { ListAnswer } from '../provider/page.ts';
import type { Memory } from '../provider/snapshot.ts';
import type { SessionMemory } from '../run/session.ts';

/**
 * The answers and exchanges of one target, shared on disk by the workers of a Playwright run: Playwright replaces
 * the worker after a failed test, and the next one continues from here. Every line is redacted.
 */
export class SharedFolder {
  readonly folder: string;
  readonly #redact: (text: string) => string;

  constructor(root: string, target: string, redact: (text: string) => string) {
    this.folder = path.join(root, Buffer.from(target).toString('base64url'));
    this.#redact = redact;
    mkdirSync(this.folder, { recursive: true });
  }

  /** Everything that earlier workers wrote, and a memory that adds to it. */
  open(): Omit<SessionMemory, 'pseudonymKey'> {
    const answers = new Map<string, ListAnswer>();
    for (const { key, answer } of this.#read<{ key: string; answer: Stored }>('answers.ndjson'))
      answers.set(key, restored(answer));
    const memory: Memory = {
      recall: (key) => answers.get(key) ?? null,
      keep: (key, answer) => {
        answers.set(key, answer);
        this.#append('answers.ndjson', { key, answer: stored(answer) });
      },
    };
    return { answers: memory, exchanges: this.#read<LoggedExchange>('exchanges.ndjson') };
  }

  /** Records an exchange without its body. */
  note(exchange: Exchange): void {
    this.#append('exchanges.ndjson', loggedOf(exchange, this.#redact));
  }

  /** An evidence file for a new worker; it sorts after those of earlier workers. */
  evidenceFile(): string {
    const parts = readdirSync(this.folder).filter((name) => name.startsWith('evidence-')).length;
    return path.join(this.folder, `evidence-${String(parts).padStart(5, '0')}.ndjson.gz`);
  }

  #append(file: string, value: unknown): void {
    appendFileSync(path.join(this.folder, file), `${this.#redact(JSON.stringify(value))}\n`);
  }

  #read<Line>(file: string): Line[] {
    const whole = path.join(this.folder, file);
    if (!existsSync(whole)) return [];
    return readFileSync(whole, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  }
}

// Identities are 64-bit numbers, which JSON numbers cannot hold.
type Stored = Omit<ListAnswer, 'identities'> & { readonly identities?: readonly string[] };

function stored(answer: ListAnswer): Stored {
  return answer.kind === 'page' ? { ...answer, identities: Array.from(answer.identities, String) } : answer;
}

function restored(answer: Stored): ListAnswer {
  if (answer.identities === undefined) return answer as ListAnswer;
  return {
    ...answer,
    identities: BigUint64Array.from(answer.identities, BigInt),
  } as ListAnswer;
}
