import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Name of the variable by which workers inherit the key. */
const KEY = 'ASSAY_SHARED_KEY';

/** Makes the key of this run. It lives in the environment of the workers alone, never on disk. */
export function makeKey(environment: NodeJS.ProcessEnv): void {
  environment[KEY] = randomBytes(32).toString('hex');
}

/** The key by which every worker takes what is readable out of a target's answers: the same for all of them. */
export function pseudonymKey(environment: NodeJS.ProcessEnv, target: string): Uint8Array {
  return createHmac('sha256', environment[KEY] ?? '')
    .update(`veil ${target}`)
    .digest();
}

/** A token that some worker met. */
export interface StoredToken {
  readonly token: string;
  /** Whether it is a copy that a check altered, and not as it was issued. */
  readonly altered: boolean;
}

/**
 * The tokens that the workers of one run were issued, encrypted on disk: a provider may repeat to one worker what
 * it issued to an earlier one, and no redactor can remove what it never knew.
 */
export class TokenStore {
  readonly #file: string;
  readonly #key: Buffer;
  readonly #known = new Set<string>();

  constructor(file: string, environment: NodeJS.ProcessEnv) {
    this.#file = file;
    this.#key = Buffer.from(environment[KEY] ?? '', 'hex');
  }

  /** Every token kept so far, in order. */
  read(): readonly StoredToken[] {
    if (!existsSync(this.#file)) return [];
    const stored = readFileSync(this.#file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(this.#decrypted(line)) as StoredToken);
    for (const { token } of stored) this.#known.add(token);
    return stored;
  }

  /** Keeps a token for the workers to come, once. */
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
