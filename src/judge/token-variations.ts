import { isObject } from '../provider/json-reader.ts';
import type { TokenAnswer } from '../provider/token-answer.ts';
import type { Form } from '../provider/token-spellings.ts';
import type { Observed, ObserverContext } from './observation.ts';
import { summarizeOutcomes } from './observation-summary.ts';
import { expectDecision } from './refused-token-requests.ts';

/** The right token request without some of its fields. */
export function formWithout({ tokens }: ObserverContext, ...names: readonly string[]): Form {
  return tokens.endpoint.rightForm().filter(([name]) => !names.includes(name));
}

/** What token requests obtained, each named by how it departs from the right one. Throws Undecided for 429 and 503. */
export function describeTokenAnswers(
  { tokens }: ObserverContext,
  asked: readonly (readonly [how: string, answer: TokenAnswer, suffix?: string])[],
): Observed {
  const detail: { [how: string]: string } = {};
  for (const [how, answer, suffix] of asked) {
    expectDecision(tokens, answer);
    if (answer.token !== null) tokens.labelOf(answer.token);
    detail[how] =
      answer.token === null ? `refused with ${answer.status}${errorOf(answer)}` : `a token${suffix ?? ''}`;
  }
  return {
    value: summarizeOutcomes(detail),
    attention: asked.some(([, { status }]) => status >= 500),
    detail,
    exchanges: asked.map(([, { exchange }]) => exchange.number),
  };
}

function errorOf({ body }: TokenAnswer): string {
  const error = body.ok && isObject(body.value) ? body.value['error'] : undefined;
  return typeof error === 'string' ? ` (${error})` : '';
}
