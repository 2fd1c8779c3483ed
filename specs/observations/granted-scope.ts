import { issuedAnswers, observation } from '../../src/judge/observation.ts';
import { memberOf } from '../../src/provider/json-reader.ts';

export const grantedScope = observation({
  id: 'observe/granted-scope',
  clause: ['2.1'],
  of: 'How the granted scopes compare with the requested ones.',
  advice: `RFC 6749, section 3.3: if the granted scope differs from the requested one, the answer names it in scope;
    clients should check it.`,
  scope: 'target',
  observe: ({ tokens, target }) => {
    const [answer] = issuedAnswers(tokens);
    const granted = answer === undefined ? undefined : memberOf(answer.body, 'scope');
    if (answer === undefined || typeof granted !== 'string') return null;
    const requestedScopes = new Set(target.credentials.scope.split(' '));
    const given = new Set(granted.split(' ').filter((scope) => scope !== ''));
    const missing = [...requestedScopes].filter((scope) => !given.has(scope));
    const further = [...given].filter((scope) => !requestedScopes.has(scope));
    const same = missing.length === 0 && further.length === 0;
    return {
      value: same
        ? 'as requested'
        : [
            ...(missing.length > 0 ? [`not granted: ${missing.join(' ')}`] : []),
            ...(further.length > 0 ? [`also granted: ${further.join(' ')}`] : []),
          ].join('; '),
      detail: { requested: target.credentials.scope, granted },
      exchanges: [answer.exchange.number],
    };
  },
});
