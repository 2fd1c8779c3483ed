import { reasonOf } from '../core/cause-sentences.ts';
import type { Exchange } from '../core/exchange.ts';
import { Undecided } from '../core/undecided.ts';
import { Redactor } from '../evidence/redactor.ts';
import { failureDiagnosis, tokenRefusal } from '../provider/diagnosis.ts';
import { NoAnswer } from '../provider/sender.ts';
import type { TokenClient } from '../provider/token-client.ts';
import { Session } from '../run/session.ts';
import type { Target } from '../target/target.ts';
import { capitalised } from './diagnosis-step.ts';

/** A token with its exchange, or why there is none: one sentence that may quote the provider. */
export type TokenRequest =
  | { readonly token: string; readonly expiresIn: number | null; readonly exchange: Exchange }
  | { readonly problem: string; readonly exchange: Exchange | null };

/** Obtains a token with the credentials of a target, without recording evidence. */
export async function obtainToken(
  target: Target,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal | null,
): Promise<TokenRequest> {
  const options = { suite: 'smoke', seed: 1, runs: null, expiry: false } as const;
  const session = new Session({ target, options, redactor: new Redactor(), signal, environment: env });
  try {
    const [bench] = session.benches;
    if (bench === undefined) throw new Error('a target has at least one resource');
    const request = await requestToken(bench.tokens, target);
    return 'problem' in request ? { ...request, problem: session.redact(request.problem) } : request;
  } finally {
    await session.close();
  }
}

/** Requests a token as a run would. */
export async function requestToken(tokens: TokenClient, target: Target): Promise<TokenRequest> {
  try {
    const { token, expiresIn, exchange } = await tokens.first();
    return token === null
      ? { problem: problemOf(exchange, target), exchange }
      : { token, expiresIn, exchange };
  } catch (error) {
    return { problem: describeFailure(error, target), exchange: null };
  }
}

function problemOf(exchange: Exchange, target: Target): string {
  const { answer, request } = exchange;
  const where = `POST ${request.origin}${request.target}`;
  const mistake = tokenRefusal(exchange, target);
  if (mistake !== null) return `${mistake.sentence}.`;
  const what =
    answer?.status === 200 ? 'was answered 200 without an access_token' : `was answered ${answer?.status}`;
  return `${where} ${what}, which violates the specification.`;
}

/** Why a request got no usable answer, as a sentence. */
export function describeFailure(error: unknown, target: Target): string {
  const sentence =
    error instanceof NoAnswer
      ? failureDiagnosis(error.exchange.failure, error.exchange, target).sentence
      : error instanceof Undecided
        ? reasonOf(error.cause, error.message)
        : error instanceof Error
          ? error.message
          : String(error);
  return `${capitalised(sentence)}.`;
}
