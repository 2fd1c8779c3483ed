import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Environment variable with the key for workers. */
const KEY = 'ASSAY_SHARED_KEY';

/** Creates the key of this run. It is only in the environment of the workers, never on disk. */
export function makeKey(environment: NodeJS.ProcessEnv): void {
  environment[KEY] = randomBytes(32).toString('hex');
}

/** The key with which all workers pseudonymise the answers of a target. */
export function pseudonymKey(environment: NodeJS.ProcessEnv, target: string): Uint8Array {
  return createHmac('sha256', environment[KEY] ?? '')
    .update(`veil ${target}`)
    .digest();
}

/** A token that a worker received or created. */
export interface StoredToken {
  readonly token: string;
  /** Whether a check altered it after it was issued. */
  readonly altered: boolean;
}

/**
 * The tokens of all workers of one run, encrypted on disk. An answer to one worker may contain a token of an
 * earlier worker, and a redactor removes only tokens that it knows.
 */
export class TokenStore {
  readonly #file: string;
  readonly #key: Buffer;
  readonly #known = new Set<string>();

  constructor(file: string, environment: NodeJS.ProcessEnv) {
    this.#file = file;
    this.#key = Buffer.from(environment[KEY] ?? '', 'hex');
  }

  /** All stored tokens in order. */
  read(): readonly StoredToken[] {
    if (!existsSync(this.#file)) return [];
    const stored = readFileSync(this.#file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(this.#decrypted(line)) as StoredToken);
    for (const { token } of stored) this.#known.add(token);
    return stored;
  }

  /** Stores a token for later workers, unless it is stored already. */
  keep(token: string, altered: boolean): void {
    if (this.#known.has(token)) return;
    this.#known.add(token);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    const sealed = Buffer.concat([cipher.update(JSON.stringify({ token, altered }), 'utf8'), cipher.final()]);
    const line = [nonce, cipher.getAuthTag(), sealed].map((part) => part.toString('base64')).join(' ');
    appendFileSync(this.#file, `${line}\n`);
  }

  #decrypted(line: string): string {
    const [nonce = '', tag = '', sealed = ''] = line.split(' ');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, Buffer.from(nonce, 'base64'));
    decipher.setAuthTag(Buffer.from(tag, 'base64'));
    const parts = [decipher.update(Buffer.from(sealed, 'base64')), decipher.final()];
    return Buffer.concat(parts).toString('utf8');
  }
}
