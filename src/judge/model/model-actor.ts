import type { Exchange } from '../../core/exchange.ts';
import { recordCount } from '../../core/number-format.ts';
import type { RequirementId } from '../../core/requirement-id.ts';
import { parametersOf, wholeNumberIn } from '../../provider/link.ts';
import { type NoPage, othersIn, type Page } from '../../provider/page.ts';
import { ON_NEW_CONNECTION } from '../../provider/sender.ts';
import type { FirstPage, Snapshot } from '../../provider/snapshot.ts';
import { isCertainlyValid } from '../../provider/token-history.ts';
import type { JudgeInput } from '../check.ts';
import { USES_BEFORE } from '../probes/list-refusals.ts';
import { requestedPageOf } from '../probes/requested-page.ts';
import { statusOf } from '../probes/valid-token-calls.ts';
import { judgePage } from '../rules/rule.ts';
import { type SequenceStep, Violation } from '../violation.ts';
import {
  BreachSuspected,
  isKnown,
  isOutage,
  isRefusedAtRest,
  type ModelCall,
  type ModelToken,
  type NamedPageRule,
  type ProviderModel,
  type Refusal,
  refusalOf,
  requirementOfRefusal,
  SequenceEnded,
  type Suspicion,
  startsAlike,
} from './model-state.ts';

/**
 * A requirement that compares answers of different times. A record that is added between two steps and removed again
 * breaks it in a sequence, and no comparison before and after the sequence shows that: its own check is stricter.
 */
const LEFT_TO_ITS_CHECK: RequirementId = 'count/stable';

/** How a call is made that has no token, to follow its request line. */
const WITHOUT_TOKEN = 'without an Authorization header';

/** The next step waits for the answer. */
const IN_SEQUENCE = { senderOptions: { isUrgent: true } };

export type WrongToken = 'random' | 'shortened';

/**
 * Carries out the steps of a sequence one after another, and judges each answer by the requirements. Throws
 * BreachSuspected for a breach, SequenceEnded if an answer leaves open what follows, NoAnswer and Undecided.
 */
export class ModelActor {
  readonly #input: JudgeInput;
  readonly #snapshot: Snapshot;
  readonly #pageRules: readonly NamedPageRule[];
  readonly #model: ProviderModel;
  readonly #onCase: (id: RequirementId) => void;
  /** Targets of calls that had to be refused. */
  readonly #probed = new Set<string>();
  readonly #steps: (SequenceStep & { readonly words: string })[] = [];

  constructor(parts: {
    readonly input: JudgeInput;
    readonly pageRules: readonly NamedPageRule[];
    readonly model: ProviderModel;
    readonly onCase: (id: RequirementId) => void;
  }) {
    this.#input = parts.input;
    this.#snapshot = parts.input.snapshots.at(0);
    this.#pageRules = parts.pageRules;
    this.#model = parts.model;
    this.#onCase = parts.onCase;
  }

  /** A call by parameters with the newest token, which must be answered with a page. */
  async callFirst(first: FirstPage): Promise<void> {
    await this.call(this.#model.callOf(this.#snapshot.targetOf(first)), this.#model.newest);
  }

  /** Requests a token that nobody else uses; a provider may hand out an earlier one again. */
  async requestToken(): Promise<void> {
    const { tokens } = this.#input;
    await tokens.lock.released();
    const answer = await tokens.requestUnshared();
    const { token } = answer;
    const known = this.#model.tokens.find((one) => one.token === token);
    const number = known?.number ?? this.#model.issued + 1;
    this.#note(answer.exchange, `request token ${number}`, number);
    if (token === null) throw new SequenceEnded();
    if (known === undefined) this.#model.add({ number, token, answer, wasAccepted: false });
  }

  /** Makes sure that there are two tokens, unless the provider hands out the same one again. */
  async requireTwoTokens(): Promise<void> {
    if (this.#model.tokens.length < 2) await this.requestToken();
  }

  /** A call that must be answered with a page. */
  async call(call: ModelCall, token: ModelToken, { fresh = false } = {}): Promise<void> {
    const exchange = await this.#send(call.target, token, fresh);
    const answer = this.#input.list.readAndNote(exchange, { isJudged: true });
    if (answer.kind === 'refused') return await this.#judgeRefusal(call, token, answer, exchange);
    token.wasAccepted = true;
    this.#onCase('authorization/accepted');
    if (call.owner !== null) this.#onCase('traversal/followable');
    call.uses++;
    this.#model.lastUsed = call;
    if (answer.kind === 'no-envelope')
      throw this.#suspicion('list/envelope', {
        message: `the answer to ${call.target} is not a list envelope: ${answer.why}`,
        expected: 'a JSON object whose items is an array',
        actual: answer.why,
      });
    await this.#judgePage(answer, token);
  }

  /**
   * A call without an Authorization header, which must give no records.
   *
   * @param hides a requirement that cannot be decided if it gives some
   */
  async callWithoutToken(call: ModelCall, hides?: RequirementId): Promise<void> {
    const rule = call.owner === null ? 'authorization/required' : 'authorization/required-on-every-page';
    const opened = await this.#probe(call, null, { authorization: null, how: WITHOUT_TOKEN, rule });
    if (opened === null) return;
    if (rule === 'authorization/required-on-every-page') await this.#expectFirstPageClosed(hides ?? rule);
    throw this.#suspicion(rule, opened, hides === undefined ? {} : { hides });
  }

  /** A call with a token that was not issued, which must give no records. */
  async callWithWrongToken(call: ModelCall, token: ModelToken, kind: WrongToken): Promise<void> {
    const wrong = kind === 'random' ? this.#model.randomToken : token.token.slice(0, -4);
    const how = kind === 'random' ? 'that is a random string' : 'shortened by its last four characters';
    const isIssued = this.#input.tokens.history
      .answersToValidRequests()
      .some((answer) => answer.token === wrong);
    if (isIssued || wrong === '') return;
    if (kind === 'shortened') {
      const label = this.#input.tokens.labelOf(token.token);
      this.#input.secrets.add(wrong, `${label} ${how}`, '${TOKEN%????}');
    }
    const rule = 'authorization/token-integrity';
    const opened = await this.#probe(call, token, {
      authorization: `Bearer ${wrong}`,
      how: `with a token ${how}`,
      rule,
    });
    if (opened === null) return;
    // Where no token is needed, it does not matter which one is sent.
    await this.callWithoutToken(call, rule);
    throw this.#suspicion(rule, opened);
  }

  /** The breach of a call that must give no records; null if it gives none. */
  async #probe(
    { target }: ModelCall,
    token: ModelToken | null,
    probe: { readonly authorization: string | null; readonly how: string; readonly rule: RequirementId },
  ): Promise<Refusal | null> {
    const { authorization, how, rule } = probe;
    const exchange = await this.#input.list.call({ target, authorization, ...IN_SEQUENCE });
    this.#note(exchange, `GET ${target} ${how}`, token?.number ?? null);
    this.#probed.add(target);
    if (isOutage(exchange.answer?.status ?? 0)) throw new SequenceEnded();
    this.#onCase(rule);
    return this.#recordsIn(exchange, how);
  }

  /**
   * Throws a suspicion if a page that no link names is open as well: then the gate is at fault, not the pages behind
   * links.
   */
  async #expectFirstPageClosed(hides: RequirementId): Promise<void> {
    const target = this.#snapshot.targetOf({ pageSize: this.#model.pageSize + 1 });
    for (let use = 0; use < USES_BEFORE; use++) await this.#statusOf(target, this.#model.newest);
    const exchange = await this.#input.list.call({ target, authorization: null, ...IN_SEQUENCE });
    this.#note(exchange, `GET ${target} ${WITHOUT_TOKEN}`, null);
    const opened = this.#recordsIn(exchange, WITHOUT_TOKEN);
    if (opened !== null) throw this.#suspicion('authorization/required', opened, { hides });
  }

  /** The breach of an answer that must give no records; null if it gives none. */
  #recordsIn(exchange: Exchange, how: string): Refusal | null {
    const records = this.#input.list.records.findIn(exchange);
    if (records === null) return null;
    const status = exchange.answer?.status ?? 0;
    return {
      message: `GET ${exchange.request.target} ${how} was answered ${status} with ${records}; it must give none`,
      expected: 'no records',
      actual: `status ${status} with ${records}`,
    };
  }

  async #send(target: string, token: ModelToken, fresh = false): Promise<Exchange> {
    const exchange = await this.#input.list.call({
      target,
      authorization: `Bearer ${token.token}`,
      ...IN_SEQUENCE,
      ...(fresh ? ON_NEW_CONNECTION : {}),
    });
    const where = fresh ? ' on a new connection' : '';
    this.#note(exchange, `GET ${target} with token ${token.number}${where}`, token.number);
    return exchange;
  }

  #note(exchange: Exchange, words: string, token: number | null): void {
    const { number } = exchange;
    this.#steps.push({ exchange: number, token, words: `${words}: ${exchange.answer?.status}` });
  }

  async #judgeRefusal(
    call: ModelCall,
    token: ModelToken,
    { status }: NoPage,
    exchange: Exchange,
  ): Promise<void> {
    if (status === 403 && !token.wasAccepted)
      this.#input.tokens.history.noteEarlyExpiry(token.token, exchange, false);
    if (isOutage(status)) throw new SequenceEnded();
    if (status === 401) await this.#judgeUnauthorized(call, token, exchange);
    else await this.#judgeOtherRefusal(call, token, status);
  }

  /** Judges a call that was answered 401. */
  async #judgeUnauthorized(call: ModelCall, token: ModelToken, exchange: Exchange): Promise<void> {
    const { target } = call;
    // A later token may have ended an earlier one, not on all servers at once.
    if (token !== this.#model.newest) return this.#model.forget(token);
    // The first use of a token, and its end, are for other checks to judge.
    if (!token.wasAccepted) this.#input.tokens.history.noteEarlyExpiry(token.token, exchange, false);
    if (!token.wasAccepted || !this.#isCertainlyValid(token, exchange)) throw new SequenceEnded();
    const refused = refusalOf(target, token, 401);
    const again = await this.#send(target, token);
    if (isOutage(statusOf(again))) throw new SequenceEnded();
    if (statusOf(again) === 200) {
      // Counts as a call of the run if the sequence does not show it again.
      this.#input.list.history.refusalsInForce.push({ refused: exchange, accepted: again });
      throw this.#suspicion('authorization/accepted', refused, { isExcusable: true });
    }
    const isGiven =
      isKnown(call) && (await this.#statusOf(this.#snapshot.targetOf({ pageSize: 1 }), token)) === 200;
    if (!isGiven) throw new SequenceEnded();
    // A link is not wrong if it worked before another caller was refused its target.
    const isAboutToken = this.#probed.has(target) && call.uses > 0;
    const requirement = isAboutToken ? 'authorization/accepted' : requirementOfRefusal(call);
    throw this.#suspicion(requirement, refused, { isExcusable: true });
  }

  /** Judges a call that was refused with another status than 401. */
  async #judgeOtherRefusal(call: ModelCall, token: ModelToken, status: number): Promise<void> {
    const { target } = call;
    // What the specification leaves open may be refused.
    if (!isKnown(call)) throw new SequenceEnded();
    // A later token request may have ended the token, which may be refused with any status then.
    if ((await this.#statusOf(this.#snapshot.targetOf({ pageSize: 1 }), token)) !== 200) {
      if (token === this.#model.newest) throw new SequenceEnded();
      return this.#model.forget(token);
    }
    // A link may be valid only for the data that it was made for.
    const hasWorked = call.uses > 0 || this.#snapshot.pages().some((page) => page.target === target);
    const isProven =
      (hasWorked || status === 403) &&
      (await isRefusedAtRest(
        this.#input.list,
        { target, authorization: `Bearer ${token.token}` },
        { status, first: this.#snapshot.targetOf({ count: true }), total: this.#model.total },
      ));
    // Otherwise it may be a rate limit.
    if (status === 403 && !isProven) throw new SequenceEnded();
    const isPlace = call.owner === null && wholeNumberIn(parametersOf(target), '$skip') !== null;
    throw this.#suspicion(
      isPlace ? 'traversal/by-parameters' : requirementOfRefusal(call),
      refusalOf(target, token, status),
      { atRest: isPlace || call.owner !== null, isProven },
    );
  }

  async #statusOf(target: string, token: ModelToken): Promise<number> {
    const status = statusOf(await this.#send(target, token));
    if (isOutage(status)) throw new SequenceEnded();
    return status;
  }

  #isCertainlyValid({ answer }: ModelToken, exchange: Exchange): boolean {
    const { clockRate } = this.#input.target.expiry;
    const ageMs = exchange.startedAt + exchange.durationMs - answer.requestedAt;
    return isCertainlyValid({ expiresIn: answer.expiresIn ?? 0, ageMs, clockRate });
  }

  async #judgePage(page: Page, token: ModelToken): Promise<void> {
    const requested = requestedPageOf(page);
    if (requested === null) return;
    const link = requested.isCounted === true ? this.#snapshot.linkOf(page) : null;
    if (link !== null) this.#model.linkOf(link.target, token);
    for (const rule of this.#pageRules) {
      const { id, atRest } = rule;
      const finding = await judgePage(rule, requested, this.#snapshot);
      if (finding === 'kept') this.#onCase(id);
      if (!(finding instanceof Violation)) continue;
      if (id === LEFT_TO_ITS_CHECK) {
        this.#input.list.pages.usual.push(page);
        throw new SequenceEnded();
      }
      const [breach] = finding.breaches;
      if (breach !== undefined) throw this.#suspicion(id, breach, { atRest, place: requested.skip });
    }
    // After the rules about single pages: a page with too few records also holds others than before.
    const size = requested.pageSize === null ? 'default' : requested.size;
    if (size !== null)
      this.#compare(page, `${requested.isCounted} ${size} ${requested.skip}`, requested.skip);
  }

  /** Compares the records of a page with those that the same position gave earlier in the sequence. */
  #compare(page: Page, key: string, place: number): void {
    const { identities, itemCount, target, exchange } = page;
    if (identities.length !== itemCount || identities.includes(0n)) return;
    const before = this.#model.records.get(key);
    if (before === undefined) {
      this.#model.records.set(key, { identities, exchange });
      return;
    }
    this.#onCase('traversal/by-parameters');
    if (startsAlike(identities, before.identities)) return;
    const breach = {
      message: `GET ${target} was answered with other records than the same page earlier in the sequence`,
      expected: `the ${before.identities.length} records of exchange ${before.exchange}`,
      actual: `${recordCount(itemCount)}, ${othersIn(page, before)} of them others`,
    };
    throw this.#suspicion('traversal/by-parameters', breach, { atRest: true, place });
  }

  #suspicion(
    requirement: RequirementId,
    { message, expected, actual }: Refusal,
    more: Partial<Suspicion> = {},
  ): BreachSuspected {
    const before = this.#steps.length - 1;
    const order = before === 0 ? '' : ` (after ${before} other requests, in the order of the curl lines)`;
    const violation = new Violation({
      message: `${message}${order}`,
      expected,
      actual,
      counterexample: { steps: this.#steps.map(({ words }) => words) },
      exchanges: this.#steps,
      sequence: this.#steps.map(({ exchange, token }) => ({ exchange, token })),
    });
    const usual = { atRest: false, place: 0, isExcusable: false, isProven: false };
    return new BreachSuspected({ ...usual, ...more, requirement, violation });
  }
}
