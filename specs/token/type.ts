import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { stringMember, tokenAnswerRule } from '../../src/judge/rules/token-answer-rule.ts';
import { Violation } from '../../src/judge/violation.ts';

export const tokenType = requirement({
  id: 'token/type',
  clause: ['2.1'],
  smoke: true,
  rule: 'token_type is "Bearer", in exactly this spelling.',
  tested: `Compares token_type of the first token answer with "Bearer", including letter case; except in smoke,
      of a second one as well. Certify also requests the scopes in another order, one of them, and one of them twice.`,
  breach: 'token_type is "bearer", "BearerToken", "JWT" or anything else.',
  causes: `A library that writes it in lower case (many do, because OAuth 2.0 compares it without letter case),
      or a template that writes the format of the token in place of its type.`,
  fix: 'Write the literal Bearer, with a capital B, into token_type.',
  judge: tokenAnswerRule((answer) => {
    const value = stringMember(answer, 'token_type');
    if (value instanceof Blocked) return value;
    if (value === 'Bearer') return 'kept';
    return new Violation({
      message: `token_type is ${JSON.stringify(value)} instead of "Bearer"`,
      expected: 'Bearer',
      actual: value,
      exchanges: [answer],
    });
  }),
});
