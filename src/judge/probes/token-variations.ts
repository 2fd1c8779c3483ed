import { Undecided } from '../../core/undecided.ts';
import { memberOf } from '../../provider/json-reader.ts';
import { NoAnswer } from '../../provider/sender.ts';
import { undecidedIfThrottled } from '../../provider/throttled-answer.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import type { TokenClient } from '../../provider/token-client.ts';
import type { Form } from '../../provider/token-spellings.ts';
import { type Observed, type ObserverContext, summarizeOutcomes } from '../observation.ts';
import { isEndedByProvider } from './list-variations.ts';

/** The valid token request without some of its fields. */
export function formWithout({ tokens }: ObserverContext, ...names: readonly string[]): Form {
  return tokens.endpoint.validForm().filter(([name]) => !names.includes(name));
}

/** A token request that differs from the valid one. */
interface TokenVariation {
  /** How it differs. */
  readonly how: string;
  readonly send: () => Promise<TokenAnswer>;
  /** What the answer with a token says, to follow "a token". */
  readonly suffix?: (answer: TokenAnswer) => string;
  /** Whether a token needs attention. */
  readonly mustObtainNone?: boolean;
}

/** Error codes that concern the client (RFC 6749, section 5.2), and not the request. */
const ABOUT_CLIENT = ['invalid_client', 'unauthorized_client'];

/**
 * Sends token requests one after the other, and describes what they obtain. If a server failure, or a refusal of the
 * client, may have another cause, a valid request follows: if it gets no token either, nothing is observed. Throws
 * Undecided for 429 and 503, NoAnswer if the run ended a request.
 */
export async function observeTokenRequests(
  { tokens }: ObserverContext,
  variations: readonly TokenVariation[],
): Promise<Observed> {
  const probes = tokens.wrong.enterProbes();
  let isDoubtful = false;
  let isFailure = false;
  let needsAttention = false;
  const detail: { [how: string]: string } = {};
  const exchanges: number[] = [];
  try {
    for (const { how, send, suffix, mustObtainNone = false } of variations) {
      const answer = await answerOrDrop(send);
      if (answer instanceof NoAnswer) {
        detail[how] = `no answer: ${answer.message}`;
        exchanges.push(answer.exchange.number);
        isFailure = true;
        continue;
      }
      expectDecision(tokens, answer);
      exchanges.push(answer.exchange.number);
      if (answer.token !== null) {
        tokens.labelOf(answer.token);
        needsAttention ||= mustObtainNone;
      }
      const error = answerErrorOf(answer);
      const isAnswerServerError = answer.status >= 500;
      isFailure ||= isAnswerServerError;
      isDoubtful ||= answer.token === null && (answer.status === 401 || ABOUT_CLIENT.includes(error ?? ''));
      detail[how] =
        answer.token === null
          ? `${isAnswerServerError ? 'failed' : 'refused'} with ${answer.status}${error === null ? '' : ` (${error})`}`
          : `a token${suffix?.(answer) ?? ''}`;
    }
  } catch (error) {
    probes.leave();
    throw error;
  }
  if (isDoubtful || isFailure) {
    const refusal = await refusalOfValidRequest(probes);
    if (refusal !== null) return { value: `not observed: ${refusal}`, attention: isFailure, exchanges };
  } else probes.leave();
  return { value: summarizeOutcomes(detail), attention: isFailure || needsAttention, detail, exchanges };
}

/** Throws Undecided if the token endpoint is throttled or down. */
export function expectDecision({ target }: TokenClient, answer: TokenAnswer): void {
  const later = undecidedIfThrottled('the token endpoint', answer.exchange, target.limits);
  if (later !== null) throw later;
}

async function answerOrDrop(send: () => Promise<TokenAnswer>): Promise<TokenAnswer | NoAnswer> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof NoAnswer && isEndedByProvider(error)) return error;
    throw error;
  }
}

/** Why a valid request after the others obtains no token either; null if it does. */
async function refusalOfValidRequest(probes: {
  readonly control: () => Promise<void>;
}): Promise<string | null> {
  try {
    await probes.control();
    return null;
  } catch (error) {
    if (error instanceof NoAnswer || error instanceof Undecided)
      return `a valid token request obtains no token either (${error.message})`;
    throw error;
  }
}

function answerErrorOf({ body }: TokenAnswer): string | null {
  const error = memberOf(body, 'error');
  return typeof error === 'string' ? error : null;
}
