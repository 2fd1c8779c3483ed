import { Redactor } from '../evidence/redaction/redactor.ts';
import { CUT, encodedField, redactCutSecrets } from '../evidence/redaction/secret-forms.ts';

/**
 * Every secret of a target, with the label that replaces it in evidence and the shell expression that replaces
 * it in a curl command. Values derived from a secret, such as a shortened one, are secrets as well.
 */
export class SecretRegistry {
  readonly redactor: Redactor;
  readonly #shell = new Map<string, string>();
  readonly #known = new Set<string>();

  constructor(redactor = new Redactor()) {
    this.redactor = redactor;
  }

  /** Adds a secret. Later calls with the same label keep the first shell expression. */
  add(secret: string, label: string, shell: string): void {
    if (secret === '') return;
    this.redactor.add(secret, label);
    this.#known.add(secret);
    if (!this.#shell.has(`[${label}]`)) this.#shell.set(`[${label}]`, shell);
  }

  /** Adds a client secret as it is sent with its client id by HTTP Basic, also form-encoded (RFC 6749, 2.3.1). */
  addBasic(id: string, secret: string, label: string): void {
    const secretVariable = `$${label.toUpperCase().replaceAll('-', '_')}`;
    const idVariable = secretVariable.replace(/SECRET$/, 'ID');
    // Before the forms of parts, so that a whole pair has its own label.
    this.add(
      base64Of(`${id}:${secret}`),
      `${label} in Basic`,
      `$(printf %s "${idVariable}:${secretVariable}" | base64 -w0)`,
    );
    this.add(
      base64Of(`${encodedField(id)}:${encodedField(secret)}`),
      `${label} form-encoded in Basic`,
      `$(node -pe 'Buffer.from(process.argv.slice(1).map(t=>new URLSearchParams({x:t}).toString().slice(2)).join(":"))` +
        `.toString("base64")' "${idVariable}" "${secretVariable}")`,
    );
    this.redactor.addBasic(id, secret, `${label}-basic`);
  }

  /**
   * Adds a token, as `token-1`, `token-2` and so on; returns its label.
   *
   * @param isOfSecondClient whether the second client obtained it; where both clients are given it, the first one counts
   */
  addToken(token: string, isOfSecondClient = false): string {
    const label = this.redactor.addToken(token);
    this.#known.add(token);
    if (!this.#shell.has(`[${label}]`))
      this.#shell.set(`[${label}]`, isOfSecondClient ? '$OTHER_TOKEN' : '$TOKEN');
    return label;
  }

  /** A text with every secret replaced by its label in brackets. */
  redact(text: string): string {
    return this.redactor.redact(text);
  }

  /**
   * As `redact`, for a sentence of Assay that may quote a cut text of the provider: the beginning of a secret
   * before the cut is removed as well.
   */
  redactWords(text: string): string {
    return this.redactor.redactWords(text.includes(CUT) ? redactCutSecrets(text, this.#known) : text);
  }

  /** Bracketed labels with their shell expressions, longest label first. */
  shellExpressions(): readonly (readonly [label: string, shell: string])[] {
    return [...this.#shell].sort(([one], [other]) => other.length - one.length);
  }
}

function base64Of(text: string): string {
  return Buffer.from(text).toString('base64');
}
