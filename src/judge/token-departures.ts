import { isObject } from '../provider/json-reader.ts';
import type { TokenAnswer } from '../provider/token-answer.ts';
import type { Form } from '../provider/token-client.ts';
import type { ObserverContext, Seen } from './observe.ts';
import { outcomesInWords } from './tally.ts';
import { expectDecision } from './tokens.ts';
export function without({ tokens }: ObserverContext, ...names: readonly string[]): Form {
  return tokens.rightForm().filter(([name]) => !names.includes(name));
}

export function seen(
  { tokens }: ObserverContext,
  asked: readonly (readonly [how: string, answer: TokenAnswer, more?: string])[],
): Seen {
  const detail: { [how: string]: string } = {};
  for (const [how, answer, more] of asked) {
    expectDecision(tokens, answer);
    if (answer.token !== null) tokens.labelOf(answer.token);
    detail[how] =
      answer.token === null ? `refused with ${answer.status}${errorOf(answer)}` : `a token${more ?? ''}`;
  }
  return {
    value: outcomesInWords(detail),
    attention: asked.some(([, { status }]) => status >= 500),
    detail,
    exchanges: asked.map(([, { exchange }]) => exchange.number),
  };
}

export function errorOf({ body }: TokenAnswer): string {
  const error = body.ok && isObject(body.value) ? body.value['error'] : undefined;
  return typeof error === 'string' ? ` (${error})` : '';
}
