import { Buffer } from 'node:buffer';
import type { Exchange, HttpAnswer } from '../core/exchange.ts';
import { mapStrings } from '../core/json-text.ts';
import { type SecretFacts, standInFor } from './secret-facts.ts';

/**
 * Replaces the labels in evidence by stand-ins for the secrets, so that a replay can send, alter and
 * recognise them.
 */
export class Restorer {
  readonly #standIns = new Map<string, string>();

  /** Creates and returns the stand-in of a secret. The first facts of a label count. */
  learn(facts: SecretFacts): string {
    const bracketed = `[${facts.label}]`;
    const known = this.#standIns.get(bracketed);
    if (known !== undefined) return known;
    const made = standInFor(facts);
    this.#standIns.set(bracketed, made);
    return made;
  }

  /** The text with its labels replaced. */
  text(text: string): string {
    if (!text.includes('[')) return text;
    return text.replace(LABEL, (bracketed) => this.#standIns.get(bracketed) ?? bracketed);
  }

  /** The value with the labels in all its strings replaced. */
  value<Value>(value: Value): Value {
    return mapStrings(value, (text) => this.text(text));
  }

  /** The answer of an exchange with the labels in headers and body replaced; null if there is no answer. */
  answer({ answer }: Exchange): HttpAnswer | null {
    if (answer === null) return null;
    return {
      ...answer,
      statusText: this.text(answer.statusText),
      headers: answer.headers.map(([name, value]) => [this.text(name), this.text(value)] as const),
      body: this.#bytes(answer.body),
    };
  }

  // Latin-1 maps every byte to one character.
  #bytes(bytes: Uint8Array): Uint8Array {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const containsLabel = [...this.#standIns.keys()].some((label) => body.includes(label));
    return containsLabel ? Buffer.from(this.text(body.toString('latin1')), 'latin1') : bytes;
  }
}

const LABEL = /\[[a-z][^[\]]{0,200}\]/g;
