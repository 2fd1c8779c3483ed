import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeAnswers } from '../../src/judge/issued-answers.ts';
import { stringMember } from '../../src/judge/token-members.ts';

export const tokenType = requirement({
  id: 'token/type',
  clause: ['2.1'],
  smoke: true,
  rule: 'token_type has the value "Bearer", spelled exactly so.',
  needs: null,
  tested: prose`Compares token_type of the first token answer and, but for smoke, of a second one with "Bearer",
      letter case included.`,
  breach: 'token_type is "bearer", "BearerToken", "JWT" or anything else.',
  causes: prose`Libraries that spell it in lower case (many do, because OAuth 2.0 compares it without case), or a
      template that fills in the token's format instead of its type.`,
  fix: prose`Write the literal Bearer, with a capital B, into token_type.`,
  judge: (context) =>
    judgeAnswers(context, (answer) => {
      const value = stringMember(answer, 'token_type');
      if (value === 'Bearer') return null;
      return {
        message: `token_type is ${JSON.stringify(value)} instead of "Bearer"`,
        expected: 'Bearer',
        actual: value,
      };
    }),
});
