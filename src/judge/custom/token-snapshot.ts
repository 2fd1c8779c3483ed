import { Undecided } from '../../core/undecided.ts';
import { jwtOf } from '../../provider/jwt.ts';
import type { TokenAnswer } from '../../provider/token-answer.ts';
import type { TokenClient } from '../../provider/token-client.ts';
import type { CheckContext } from '../context.ts';
import type { Answer, TokenSnapshot } from './check-types.ts';
import { answerOf, findingsOf } from './findings.ts';

/**
 * The token endpoint for custom checks.
 *
 * @param attempt from 0; the first shares the token of the run, the others ask for a fresh one
 */
export function tokenSnapshot({ tokens, target, exercised }: CheckContext, attempt: number): TokenSnapshot {
  let last: number | null = null;
  let own: Promise<TokenAnswer> | null = null;
  const request = (): Promise<TokenAnswer> => {
    own ??= attempt === 0 ? tokens.firstAnswer() : tokens.requestUnshared();
    return own;
  };
  const answered = ({ exchange }: TokenAnswer): Answer => {
    last = exchange.number;
    return answerOf(exchange, target.limits.maxJsonDepth);
  };
  return {
    ...findingsOf(exercised, () => last),
    answer: async () => answered(await request()),
    jwt: async () => {
      const answer = await request();
      answered(answer);
      const jwt = answer.token === null ? null : jwtOf(answer.token);
      return jwt === null ? null : { header: jwt.header, payload: jwt.payload };
    },
    ask: async (changes) => answered(await changed(tokens, changes)),
  };
}

async function changed(
  tokens: TokenClient,
  changes: { readonly [field: string]: string | null | undefined },
): Promise<TokenAnswer> {
  const valid = tokens.endpoint.validForm();
  const fields = new Map(valid);
  // A check written in JavaScript may give undefined, which changes nothing.
  for (const [name, value] of Object.entries(changes))
    if (value === null) fields.delete(name);
    else if (value !== undefined) fields.set(name, value);
  const form = [...fields];
  const isValid = valid.every(([name, value]) => !name.startsWith('client_') || fields.get(name) === value);
  if (isValid) return tokens.endpoint.ask(form);
  const answer = await tokens.wrong.sendSecret('own', form);
  if (answer === null)
    throw new Undecided(
      { kind: 'limit', limit: 'probes.wrongCredentials' },
      'no more requests with other credentials are allowed',
    );
  return answer;
}
