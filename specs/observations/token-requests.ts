import { inquire, type ObserverContext, type Seen } from '../../src/judge/observe.ts';
import { outcomesInWords } from '../../src/judge/tally.ts';
import { expectDecision } from '../../src/judge/tokens.ts';
import { isObject } from '../../src/provider/json-reader.ts';
import type { TokenAnswer } from '../../src/provider/token-answer.ts';
import type { Form } from '../../src/provider/token-client.ts';

/** Token requests other than the specified one, which it does not forbid either. Each costs a request or two. */
export const tokenRequestObservers = [
  inquire('observe/scope-omitted', 'target', async (context) => {
    const answer = await context.tokens.ask(without(context, 'scope'));
    const granted = answer.body.ok && isObject(answer.body.value) ? answer.body.value['scope'] : undefined;
    const scope = typeof granted === 'string' ? `, scope ${JSON.stringify(granted)}` : '';
    return seen(context, [['without scope', answer, answer.token === null ? '' : scope]]);
  }),

  inquire('observe/grant-type-spelling', 'target', async (context) => {
    const { tokens } = context;
    const spelled = (grantType: string): Promise<TokenAnswer> =>
      tokens.ask([['grant_type', grantType], ...without(context, 'grant_type')]);
    const upper = await spelled('CLIENT_CREDENTIALS');
    const spaced = await spelled(' client_credentials ');
    return seen(context, [
      ['in capitals', upper],
      ['with white space around it', spaced],
    ]);
  }),

  inquire('observe/token-request-json', 'target', async (context) =>
    seen(context, [['as a JSON body', await context.tokens.askAsJson(context.tokens.rightForm())]]),
  ),

  // Without the credentials: a query stands in logs, where a secret must not, and a wrong one might lock the client out.
  inquire('observe/token-get', 'target', async (context) => {
    const form = without(context, 'client_id', 'client_secret');
    const answer = await context.tokens.askByGet(form);
    return { ...seen(context, [['by GET, credentials left out', answer]]), attention: answer.token !== null };
  }),
];

function without({ tokens }: ObserverContext, ...names: readonly string[]): Form {
  return tokens.rightForm().filter(([name]) => !names.includes(name));
}

function seen(
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

function errorOf({ body }: TokenAnswer): string {
  const error = body.ok && isObject(body.value) ? body.value['error'] : undefined;
  return typeof error === 'string' ? ` (${error})` : '';
}
