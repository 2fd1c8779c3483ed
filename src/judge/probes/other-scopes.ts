import type { TokenAnswer } from '../../provider/token-answer.ts';
import type { CheckContext } from '../context.ts';
import { orNull } from '../outcomes.ts';

/** An answer with a token to a request for the configured scopes in another form. */
export interface OtherScopeAnswer {
  /** The form, to follow "the answer to a token request". */
  readonly how: string;
  readonly answer: TokenAnswer;
}

/** The configured scopes in other forms that RFC 6749, section 3.3, allows: their order means nothing. */
function otherScopes(scope: string): readonly (readonly [how: string, scope: string])[] {
  const scopes = scope.split(' ');
  const [first = scope] = scopes;
  return [
    ...(scopes.length === 1
      ? []
      : ([
          ['for the scopes in another order', scopes.toReversed().join(' ')],
          ['for one of the scopes', first],
        ] as const)),
    ['that names a scope twice', `${scope} ${first}`],
  ];
}

/**
 * Answers with a token to requests for the configured scopes in other forms, which a provider may refuse; only in `certify`.
 * All checks share them. Each request is sent when the work that needs its token to stay in force is done.
 */
export async function answersForOtherScopes(context: CheckContext): Promise<readonly OtherScopeAnswer[]> {
  if (context.options.suite !== 'certify') return [];
  return context.tokens.memo.once(requestOtherScopes, context);
}

async function requestOtherScopes({ tokens, target }: CheckContext): Promise<readonly OtherScopeAnswer[]> {
  const { endpoint, lock } = tokens;
  const answers: OtherScopeAnswer[] = [];
  for (const [how, scope] of otherScopes(target.credentials.scope)) {
    const form = endpoint.validForm({ ...target.credentials, scope });
    // Not within the lock: after a lock-out, a control request comes first, which waits for it.
    await lock.released();
    const answer = await orNull(endpoint.ask(form, { maxRetries: 0 }));
    if (answer === null || answer.token === null) continue;
    tokens.labelOf(answer.token);
    answers.push({ how, answer });
  }
  return answers;
}
