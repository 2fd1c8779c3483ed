import { type Exchange, type Header, type HttpRequest, headerValues } from '../core/exchange.ts';
import { Memo } from '../core/memo.ts';
import { Blocked, Undecided } from '../core/undecided.ts';
import { isThrottled } from '../http/pacing/retry.ts';
import { unsendable } from '../http/request.ts';
import type { Resource, Target } from '../target/target.ts';
import type { KnownRecords } from './known-records.ts';
import { hasFurtherParameters, hasUnspecifiedPageSize, type ListAddress, usableLink } from './link.ts';
import { ListHistory, type RefusableCall } from './list-history.ts';
import { type ListAnswer, readPage } from './page.ts';
import type { PageLog } from './page-log.ts';
import { type CallWithToken, callWithNewerToken, repeatCall } from './refused-call.ts';
import { membersOf, validatorFor } from './schemas.ts';
import {
  type CallOptions,
  type Connection,
  NoAnswer,
  OFFLINE,
  OVER_CONNECTION,
  type Sender,
  type SenderOptions,
} from './sender.ts';
import { undecidedIfThrottled } from './throttled-answer.ts';
import { controlCharacterCode } from './token-answer.ts';
import type { TokenClient } from './token-client.ts';
import type { PageContext, Prefetch } from './traversal.ts';

/** After this many refusals of valid tokens, refused calls are not repeated: more would show the same again. */
const MAX_REFUSALS_IN_FORCE = 40;

/** How a call with the token in force is made. */
interface AuthorizedOptions extends PageContext {
  readonly onExchange?: (exchange: Exchange) => void;
  readonly connection?: Connection;
}

interface ListClientParts {
  readonly target: Target;
  readonly resource: Resource;
  readonly tokens: TokenClient;
  readonly sender: Sender;
  /** The token of every authorized call; that in force of the first client if left out. */
  readonly token?: string;
  readonly onPage?: ((records: number) => void) | undefined;
}

/** Whether a call has the normal headers and a specified page size. A 403 to any other call may be allowed. */
function hasUsualHeadersAndSize({ headers = [], omittedHeaders = [], target = '' }: CallOptions): boolean {
  const ofConnection = headers.every(([name]) => name === 'Connection' || name === 'Accept-Encoding');
  return ofConnection && omittedHeaders.length === 0 && !hasUnspecifiedPageSize(target);
}

/** The headers with all cookies in one of them: no client sends two (RFC 6265, 5.4), and some servers read only the first. */
function withOneCookie(headers: readonly Header[]): readonly Header[] {
  const cookies = headerValues(headers, 'cookie');
  if (cookies.length < 2) return headers;
  const others = headers.filter(([name]) => name.toLowerCase() !== 'cookie');
  return [...others, ['Cookie', cookies.join('; ')]];
}

/** Calls one list of the provider (4.2), with whatever token and headers a check wants. */
export class ListClient {
  readonly resource: Resource;
  readonly target: Target;
  readonly address: ListAddress;
  /** The list's request target without a query. */
  readonly path: string;
  /** Values computed once per list. */
  readonly memo = new Memo();
  readonly tokens: TokenClient;
  /** What the run has seen of this list. */
  readonly history: ListHistory;
  readonly pages: PageLog;
  readonly records: KnownRecords;
  readonly #parts: ListClientParts;

  constructor(parts: ListClientParts, history = new ListHistory(parts.target, parts.resource)) {
    this.#parts = parts;
    this.history = history;
    this.pages = history.pages;
    this.records = history.records;
    this.target = parts.target;
    this.resource = parts.resource;
    this.tokens = parts.tokens;
    this.address = history.address;
    this.path = history.address.basePath + parts.resource.path;
  }

  /** A client with another token; it shares no history. */
  forToken(token: string): ListClient {
    const { target, resource, tokens, sender } = this.#parts;
    return new ListClient({ target, resource, tokens, sender, token });
  }

  /** A copy that knows what is known here and sends nothing. */
  offline(tokens: TokenClient): ListClient {
    return new ListClient({ ...this.#parts, sender: OFFLINE, tokens }, this.history);
  }

  /** Sends a call as it is described, once. Throws NoAnswer. */
  async call(options: CallOptions): Promise<Exchange> {
    if ((options.authorization?.length ?? 0) > this.target.limits.maxHeaderBytes) {
      const cause = { kind: 'limit', limit: 'maxHeaderBytes' } as const;
      throw new Undecided(cause, 'the token is longer, so it was not sent');
    }
    const request = this.#requestOf(options);
    const bearer = /^Bearer (.*)$/su.exec(options.authorization ?? '')?.[1] ?? null;
    const lacksToken = bearer === null || !this.tokens.history.isIssued(bearer);
    const kind = this.#refusableCallOf(request.target, lacksToken);
    const { history } = this;
    if (kind !== null) history.refusableCalls.begin(kind);
    const isLimited = !lacksToken && history.forbiddenLimit.isKnown && hasUsualHeadersAndSize(options);
    const senderOptions: SenderOptions = {
      ...(kind === null ? {} : { isInVain: () => history.refusableCalls.isInVain(kind) }),
      ...(isLimited ? { limitStatus: 403 } : {}),
      ...options.senderOptions,
      ...(lacksToken ? {} : { onAnswer: (answered) => this.#noteAnswer(answered, options) }),
    };
    const send = (): Promise<Exchange> => this.#parts.sender.send(request, senderOptions);
    const exchange = await (senderOptions.overSingle === true ? this.tokens.endpoint.kept.run(send) : send());
    if (!lacksToken) history.noteCall(exchange);
    if (exchange.answer === null) throw new NoAnswer(exchange);
    if (bearer !== null) this.tokens.history.noteUse(bearer, exchange.answer.status, request.target);
    if (kind !== null) history.refusableCalls.noteAnswer(kind, exchange.answer);
    if (options.authorization === null && exchange.answer.status === 401)
      history.refusalsWithoutToken.set(request.target, exchange);
    return exchange;
  }

  #requestOf(options: CallOptions): HttpRequest {
    const further = Object.entries(this.target.headers);
    const hasAccept = further.some(([name]) => name.toLowerCase() === 'accept');
    const normal: Header[] = hasAccept ? [] : [['Accept', 'application/json']];
    if (this.target.tenant !== null) normal.push(['Tenant', this.target.tenant]);
    normal.push(...further);
    if (options.authorization !== null) normal.push(['Authorization', options.authorization]);
    const omitted = new Set(options.omittedHeaders);
    const kept = normal.filter(([name]) => !omitted.has(name.toLowerCase()));
    const named = (name: string): string => (options.hasLowerCaseNames === true ? name.toLowerCase() : name);
    return {
      method: options.method ?? 'GET',
      origin: this.address.origin,
      target: options.target ?? this.path,
      headers: withOneCookie([
        ...kept.map(([name, value]) => [named(name), value] as const),
        ...(options.headers ?? []),
      ]),
      body: options.body ?? null,
    };
  }

  /** Why a GET of a target with these headers cannot be sent unchanged, as a clause; null if it can. */
  whyUnsendable(target: string, headers: readonly Header[]): string | null {
    const { origin } = this.address;
    return unsendable({ method: 'GET', origin, target, headers, body: null })?.message ?? null;
  }

  /** Notes every answer to a call with a token before others read it. */
  #noteAnswer(answered: Exchange, { senderOptions }: CallOptions): void {
    this.history.noteAnswer(answered);
    senderOptions?.onAnswer?.(answered);
  }

  /** Whether a request target has another path than the list. */
  hasOtherPath(target: string): boolean {
    return target.split('?', 1)[0] !== this.path;
  }

  #refusableCallOf(target: string, lacksToken: boolean): RefusableCall | null {
    if (lacksToken) return this.hasOtherPath(target) ? 'another path' : 'without token';
    return hasUnspecifiedPageSize(target) ? 'unspecified page size' : null;
  }

  /**
   * A call with the token in force. If it is refused with 401 or 403, it is repeated with the same token on a new
   * connection, and then with a newer token. Throws NoAnswer; Blocked if there is no token, or one that no header can
   * carry; Undecided if the provider keeps answering 429 or 503. With the token of another client, it is sent once.
   *
   * @param options.prefetch called with the answer before it is read, so that the next request can start
   * @param options.onExchange receives the exchange whose answer it is, body and all
   * @param options.after number of the exchange that gave the link, or that is repeated. Its token is used while it is
   *   valid, because a link may be bound to it; so is that of a page which gave a link with further parameters
   * @param options.connection which connection the call goes over; a kept one unless given
   */
  async authorized(
    target: string,
    {
      prefetch,
      onExchange,
      after,
      isJudged = after !== undefined,
      connection = 'kept',
    }: AuthorizedOptions = {},
  ): Promise<ListAnswer> {
    const { token: ofOther } = this.#parts;
    const token = ofOther ?? (await this.#tokenInForce(after ?? this.#giverOf(target)));
    if (controlCharacterCode(token) !== null)
      throw new Blocked('authorization/accepted', 'no header can carry the token');
    const callWith = this.#callerOf(target, prefetch);
    const first = await callWith(token, OVER_CONNECTION[connection]);
    let exchange = first;
    if (ofOther === undefined && this.#isToRepeat(first))
      exchange = await this.#repeat(first, token, callWith);
    if (
      ofOther === undefined &&
      this.history.mayRefuseToken(first) &&
      this.tokens.history.wasFollowed(token)
    ) {
      const renewed = await this.tokens.lock.run(() => this.#renewIfEnded(first, token, callWith));
      exchange = renewed ?? exchange;
    }
    this.history.noteOutcome(exchange);
    onExchange?.(exchange);
    const answer = this.readAndNote(exchange, { isJudged });
    this.#noteLinks(answer, after);
    return answer;
  }

  /** The token in force; for a link, the one that obtained it while that is valid. */
  #tokenInForce(after: number | undefined): Promise<string> {
    const earlier = after === undefined ? undefined : this.history.tokenOf.get(after);
    return earlier === undefined ? this.tokens.bearer() : this.tokens.bearerKeeping(earlier);
  }

  /** The exchange that gave this link, if the link has further parameters, which may bind it to a token. */
  #giverOf(target: string): number | undefined {
    return hasFurtherParameters(target) ? this.history.links.sourceOf(target)?.exchange : undefined;
  }

  #callerOf(target: string, prefetch: Prefetch | undefined): CallWithToken {
    return (token, { senderOptions, ...options } = {}) => {
      const ofCall: SenderOptions = {
        // A traversal requests one page after another: a delay of one delays all that follow.
        isUrgent: prefetch !== undefined,
        onAnswer: (answered) => {
          this.history.tokenOf.set(answered.number, token);
          if (answered.answer?.status === 200) prefetch?.(answered);
        },
        ...senderOptions,
      };
      return this.call({ target, authorization: `Bearer ${token}`, senderOptions: ofCall, ...options });
    };
  }

  /** Whether a call was refused with 401 or 403, and a repetition may show why. */
  #isToRepeat({ answer }: Exchange): boolean {
    if (answer === null || isThrottled(answer)) return false;
    const isRefused = answer.status === 401 || answer.status === 403;
    return isRefused && this.history.refusalsInForce.length < MAX_REFUSALS_IN_FORCE;
  }

  /**
   * Repeats a refused call with the same token, perhaps on another server, and if it is refused again, with a newer one.
   * A token that is accepted right after was in force. A rate limit may explain a 403.
   */
  async #repeat(refused: Exchange, token: string, callWith: CallWithToken): Promise<Exchange> {
    const { history } = this;
    const isUnauthorized = refused.answer?.status === 401;
    if (refused.startedAt < history.firstAcceptedAt) history.firstRefusedCall ??= refused;
    const inForce = this.tokens.history.inForce(token, refused);
    const again = await repeatCall(history, token, refused, callWith);
    if (again.answer?.status === 200) {
      if (isUnauthorized) history.refusalsInForce.push({ refused, accepted: again });
      return again;
    }
    const newer = await callWithNewerToken(this.tokens, token, refused, callWith);
    if (newer.answer?.status === 200)
      this.tokens.history.noteEarlyExpiry(token, refused, inForce && isUnauthorized);
    return newer;
  }

  /**
   * The call with a newer token if another status than 401 and 403 means that its token has ended; null otherwise. No control
   * request must be sent meanwhile: it may end the newer token.
   */
  async #renewIfEnded(refused: Exchange, token: string, callWith: CallWithToken): Promise<Exchange | null> {
    const renewed = await callWithNewerToken(this.tokens, token, refused, callWith);
    const isRefusedAgain = async (): Promise<boolean> =>
      (await callWith(token)).answer?.status === refused.answer?.status;
    // Both tokens in turn, twice: a provider may refuse every n-th call, whatever its token.
    const isEnded =
      renewed.answer?.status === 200 &&
      (await isRefusedAgain()) &&
      (await callWith(await this.tokens.bearer())).answer?.status === 200 &&
      (await isRefusedAgain()) &&
      // Otherwise only the link has expired, not its token.
      (await callWith(token, { target: this.path })).answer?.status !== 200;
    if (isEnded) {
      this.tokens.history.noteEarlyExpiry(token, refused, false);
      return renewed;
    }
    this.history.renewalsWithoutEffect++;
    return null;
  }

  #noteLinks(answer: ListAnswer, after: number | undefined): void {
    const { links, tokenOf } = this.history;
    if (answer.kind === 'page') links.notePage(answer, usableLink(answer.link, this.address)?.target ?? null);
    // A link may be bound to the token that obtained it.
    else if (after === undefined || tokenOf.get(after) === tokenOf.get(answer.exchange))
      links.noteNoPage({ answer, isFollowed: after !== undefined });
  }

  /**
   * Reads a complete answer and notes what it shows: records, pages and refusals. Throws Undecided for 429 and 503.
   *
   * @param options.isJudged whether the caller judges the page; otherwise it is judged at the end with those of other checks
   */
  readAndNote(exchange: Exchange, { isJudged = false } = {}): ListAnswer {
    const { limits } = this.target;
    const later = undecidedIfThrottled('the list call', exchange, limits, !this.history.wasAccepted);
    if (later !== null) throw later;
    this.history.reading ??= {
      validateItem: validatorFor(this.resource.itemSchema),
      validateEnvelope: validatorFor('list-envelope'),
      idField: this.resource.idField,
      itemMembers: membersOf(this.resource.itemSchema),
      limits,
    };
    const answer = readPage(exchange, this.history.reading);
    if (answer.kind === 'refused' && answer.status !== 401) this.pages.noteRefusal(exchange.request);
    if (answer.kind === 'page') {
      this.history.hasGivenPage = true;
      this.history.calls.noteList(exchange.number);
      this.#parts.onPage?.(answer.itemCount);
      this.pages.note(answer, isJudged ? null : exchange.request);
      if (answer.itemCount > 0) this.records.remember(exchange);
    }
    if (answer.kind === 'no-envelope') this.history.withoutEnvelope.push(answer);
    if (answer.kind !== 'no-envelope' || !answer.isOther || !hasUnspecifiedPageSize(answer.target))
      return answer;
    // The specification leaves open how such a request is refused: also with status 200 and an error.
    return this.records.findIn(exchange) === null ? { ...answer, kind: 'refused' } : answer;
  }
}
