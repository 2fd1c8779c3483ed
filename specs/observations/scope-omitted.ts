import { observation } from '../../src/judge/observation.ts';
import { describeTokenAnswers, formWithout } from '../../src/judge/token-variations.ts';
import { isObject } from '../../src/provider/json-reader.ts';

export const scopeOmitted = observation({
  id: 'observe/scope-omitted',
  clause: ['4.1'],
  of: 'What a token request without a scope obtains.',
  advice: 'RFC 6749, section 3.3: either apply a documented default scope or answer invalid_scope.',
  scope: 'target',
  asks: true,
  observe: async (context) => {
    const answer = await context.tokens.endpoint.ask(formWithout(context, 'scope'));
    const granted = answer.body.ok && isObject(answer.body.value) ? answer.body.value['scope'] : undefined;
    const scope = typeof granted === 'string' ? `, scope ${JSON.stringify(granted)}` : '';
    return describeTokenAnswers(context, [['without scope', answer, answer.token === null ? '' : scope]]);
  },
});
