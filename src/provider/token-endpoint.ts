import { type Header, type HttpRequest, headerOf } from '../core/exchange.ts';
import { WorkQueue } from '../core/work-in-progress.ts';
import { encodedField } from '../evidence/redaction/secret-forms.ts';
import { isThrottled } from '../http/pacing/retry.ts';
import { basePathOf } from '../target/make.ts';
import type { Credentials, Target } from '../target/target.ts';
import type { SecretRegistry } from './secret-registry.ts';
import type { Sender, SenderOptions } from './sender.ts';
import { closedConnection, isClosed, readTokenAnswer, type TokenAnswer } from './token-answer.ts';
import type { TokenHistory } from './token-history.ts';
import {
  type Form,
  formEncoded,
  type TokenSpelling,
  USUAL_ON_NEW_CONNECTION,
  USUAL_SPELLING,
} from './token-spellings.ts';

/** A request to the token endpoint: by POST, and to its own path, unless another method or target is given. */
type TokenRequest = Pick<HttpRequest, 'headers' | 'body'> & Partial<Pick<HttpRequest, 'method' | 'target'>>;

/** How a request that was sent before is sent again: over the other kind of connection, or in any case over a new one. */
export type Repetition = 'elsewhere' | 'apart';

/** How to send a request that must be refused. */
interface WrongRequestOptions {
  /** Of requests of the same length, even and odd ones take different kinds of connection. */
  readonly turn?: number;
  /** Whether it was sent before: then it takes the other kind of connection. */
  readonly isRepeated?: boolean | undefined;
  /** Whether it takes a new connection in any case. */
  readonly isApart?: boolean;
  /** Runs just before it is sent. */
  readonly before?: () => Promise<void>;
}

/** Fields without which a request must be refused. */
const NEEDED_FIELDS = ['grant_type', 'client_id', 'client_secret'];

interface TokenEndpointParts {
  readonly target: Target;
  readonly sender: Sender;
  readonly secrets: SecretRegistry;
  readonly history: TokenHistory;
  /** Decides which wrong requests are sent on new connections. */
  readonly options: { readonly seed: number };
  /** What a request that is not valid waits for. */
  readonly beforeOther: () => Promise<void>;
}

/** The token endpoint of a provider (4.1): sends requests in every form that checks need. All methods throw NoAnswer. */
export class TokenEndpoint {
  readonly #parts: TokenEndpointParts;
  readonly #origin: string;
  readonly #path: string;
  /** Sends requests over the kept connection, each when the earlier ones are answered. */
  readonly kept = new WorkQueue();
  /** The first request that is not valid and was refused over a connection: numbers of exchanges by connection. */
  readonly firstRefusals = new Map<number, number>();
  /** Whether the last request that is not valid was answered 429 or 503, or its connection was closed, also after its retries. */
  #isInVain = false;

  constructor(parts: TokenEndpointParts) {
    this.#parts = parts;
    const { authUrl } = parts.target;
    this.#origin = new URL(authUrl).origin;
    this.#path = `${basePathOf(authUrl)}/connect/token`;
  }

  /** The request that the specification describes, for one of the configured clients. */
  validForm(credentials: Credentials = this.#parts.target.credentials): Form {
    return [
      ['grant_type', 'client_credentials'],
      ['scope', credentials.scope],
      ['client_id', credentials.clientId],
      ['client_secret', credentials.clientSecret],
    ];
  }

  /** Sends a valid request in a spelling. It does not count as a wrong one. */
  sendValid(
    form: Form,
    spelling: TokenSpelling = USUAL_SPELLING,
    senderOptions: SenderOptions = {},
  ): Promise<TokenAnswer> {
    const request = { headers: spelling.headers, body: spelling.body(form) };
    return this.#inTurnIfKept(request, () => this.#send(request, senderOptions));
  }

  /** Sends a token request, form-encoded and without an Authorization header. */
  ask(
    form: Form,
    senderOptions: SenderOptions = {},
    { turn = 0, isRepeated = false, isApart = false, before }: WrongRequestOptions = {},
  ): Promise<TokenAnswer> {
    const body = USUAL_SPELLING.body(form);
    // Requests take turns: one server of several may check less, and a connection may remember what it carried. A field
    // that is left out is the most likely to be taken from an earlier request.
    const isComplete = NEEDED_FIELDS.every((needed) => form.some(([name]) => name === needed));
    const isOther = isComplete && (body.length + this.#parts.options.seed + turn) % 2 !== 0;
    const isOnNewConnection = isApart || isOther !== isRepeated;
    const { headers } = isOnNewConnection ? USUAL_ON_NEW_CONNECTION : USUAL_SPELLING;
    return this.#sendOther({ headers, body }, senderOptions, before);
  }

  /**
   * Sends a token request that must be refused. The provider refuses it, too, if it closes the connection in every attempt,
   * as a firewall does, while valid requests are answered.
   *
   * @param repetition null if it is sent for the first time
   */
  async askToBeRefused(form: Form, repetition: Repetition | null): Promise<TokenAnswer> {
    const isApart = repetition === 'apart';
    return this.ask(form, {}, { isRepeated: repetition !== null, isApart }).catch((error: unknown) => {
      if (!this.#parts.history.answersToValidRequests().some(({ status }) => status === 200)) throw error;
      return closedConnection(error);
    });
  }

  /** Sends the fields of a token request as a JSON object. */
  askAsJson(form: Form, senderOptions: SenderOptions = {}): Promise<TokenAnswer> {
    const headers: readonly Header[] = [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json'],
    ];
    return this.#sendOther({ headers, body: JSON.stringify(Object.fromEntries(form)) }, senderOptions);
  }

  /** Sends a token request by GET, its fields in the query. */
  askByGet(form: Form, senderOptions: SenderOptions = {}): Promise<TokenAnswer> {
    const headers: readonly Header[] = [['Accept', 'application/json']];
    const target = `${this.#path}?${formEncoded(form)}`;
    return this.#sendOther({ method: 'GET', target, headers, body: null }, senderOptions);
  }

  /** Sends a token request whose client authenticates by HTTP Basic (RFC 6749, 2.3.1). */
  askWithBasic(form: Form, senderOptions: SenderOptions = {}): Promise<TokenAnswer> {
    const field = (wanted: string): string => form.find(([name]) => name === wanted)?.[1] ?? '';
    const [id, secret] = [field('client_id'), field('client_secret')];
    // RFC 6749, 2.3.1, has client id and secret encoded before they are joined.
    const text = `${encodedField(id)}:${encodedField(secret)}`;
    const pair = Buffer.from(text).toString('base64');
    const { secrets, target } = this.#parts;
    // A made-up secret needs a label, too: the redactor would take the pair for an altered token.
    if (secret !== target.credentials.clientSecret)
      secrets.add(pair, `made-up secret of ${id} in Basic`, `$(printf %s '${text}' | base64 -w0)`);
    const body = formEncoded(form.filter(([name]) => !name.startsWith('client_')));
    const headers: readonly Header[] = [...USUAL_SPELLING.headers, ['Authorization', `Basic ${pair}`]];
    return this.#sendOther({ headers, body }, senderOptions);
  }

  /** Sends a token request whose client_secret is encoded twice, as for a server that decodes it twice. */
  askWithSecretEncodedTwice(form: Form): Promise<TokenAnswer> {
    const { clientSecret } = this.#parts.target.credentials;
    const secret = encodedField(clientSecret);
    const shell = `$(node -pe 'new URLSearchParams({x:process.argv[1]}).toString().slice(2)' "$CLIENT_SECRET")`;
    this.#parts.secrets.add(secret, 'client-secret form-encoded', shell);
    return this.ask(form.map(([name, value]) => [name, name === 'client_secret' ? secret : value]));
  }

  /** Sends the valid request with a further header, or with another value of a usual one. */
  askWithHeader([name, value]: Header): Promise<TokenAnswer> {
    const others = USUAL_SPELLING.headers.filter(([other]) => other !== name);
    return this.#sendOther({ headers: [...others, [name, value]], body: formEncoded(this.validForm()) });
  }

  /** Sends the valid request to another path of the same origin. */
  askAt(target: string): Promise<TokenAnswer> {
    const { headers } = USUAL_SPELLING;
    return this.#sendOther({ target, headers, body: formEncoded(this.validForm()) });
  }

  async #sendOther(
    request: TokenRequest,
    senderOptions: SenderOptions = {},
    before = async (): Promise<void> => undefined,
  ): Promise<TokenAnswer> {
    await this.#parts.beforeOther();
    const limited = { isInVain: () => this.#isInVain, ...senderOptions };
    // Only a request with the usual retries shows whether retries help.
    const showsWaiting = senderOptions.maxRetries === undefined;
    const answer = await this.#inTurnIfKept(request, async () => {
      await before();
      return this.#parts.history.wrongRequests.during(() => this.#send(request, limited));
    }).catch((error: unknown) => {
      if (showsWaiting) this.#isInVain = isClosed(error);
      throw error;
    });
    const { number, connection } = answer.exchange;
    if (answer.status >= 400 && connection !== null && !this.firstRefusals.has(connection))
      this.firstRefusals.set(connection, number);
    if (showsWaiting) this.#isInVain = answer.exchange.answer !== null && isThrottled(answer.exchange.answer);
    return answer;
  }

  /**
   * Sends a request when the earlier ones over the kept connection are answered, unless it has a connection of its own.
   * So wrong requests come after valid ones over the same connection, which may remember what it carried.
   */
  #inTurnIfKept({ headers }: TokenRequest, send: () => Promise<TokenAnswer>): Promise<TokenAnswer> {
    return headerOf(headers, 'connection') === 'close' ? send() : this.kept.run(send);
  }

  async #send(request: TokenRequest, senderOptions: SenderOptions): Promise<TokenAnswer> {
    const exchange = await this.#parts.history.requests.during(() =>
      this.#parts.sender.send(
        { method: 'POST', target: this.#path, ...request, origin: this.#origin },
        // Many follow one another, and would otherwise be left when all list calls are answered.
        {
          isIdempotent: true,
          isUrgent: true,
          overSingle: true,
          ...senderOptions,
          bodyLimit: 'maxTokenBytes',
        },
      ),
    );
    return readTokenAnswer(exchange, this.#parts.target.limits.maxJsonDepth);
  }
}
