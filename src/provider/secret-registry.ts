import { CUT, redactCutSecrets } from '../evidence/cut-secrets.ts';
import { Redactor } from '../evidence/redactor.ts';

/**
 * Every secret of a target, with the label that stands for it in evidence and the shell expression that
 * stands for it in a curl line. What a check derives from a secret (a shortened one, say) is one, too.
 */
export class SecretRegistry {
  readonly redactor: Redactor;
  readonly #shell = new Map<string, string>();
  readonly #known = new Set<string>();

  constructor(redactor = new Redactor()) {
    this.redactor = redactor;
  }

  /** Takes a secret in. Later calls with the same label keep the first shell expression. */
  add(secret: string, label: string, shell: string): void {
    if (secret === '') return;
    this.redactor.add(secret, label);
    this.#known.add(secret);
    if (!this.#shell.has(`[${label}]`)) this.#shell.set(`[${label}]`, shell);
  }

  /** Takes a token in, as `token-1`, `token-2` and so on; returns its label. */
  addToken(token: string): string {
    const label = this.redactor.addToken(token);
    this.#known.add(token);
    if (!this.#shell.has(`[${label}]`)) this.#shell.set(`[${label}]`, '$TOKEN');
    return label;
  }

  /** A text with every secret replaced by its label in brackets. */
  redact(text: string): string {
    return this.redactor.redact(text);
  }

  /**
   * Like `redact`, of a sentence that Assay itself wrote, which may quote a provider's text up to some length and an
   * ellipsis: what it begins of a secret there is removed, too.
   */
  redactWords(text: string): string {
    return this.redactor.redactWords(text.includes(CUT) ? redactCutSecrets(text, this.#known) : text);
  }

  /** Bracketed labels with their shell expressions, longest label first. */
  shellExpressions(): readonly (readonly [label: string, shell: string])[] {
    return [...this.#shell].sort(([one], [other]) => other.length - one.length);
  }
}
