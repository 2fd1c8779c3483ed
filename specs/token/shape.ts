import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeAnswers } from '../../src/judge/issued-answers.ts';
import { validatorFor } from '../../src/provider/schemas.ts';

export const tokenShape = requirement({
  id: 'token/shape',
  clause: ['2.1'],
  smoke: true,
  rule: prose`A successful token answer is one JSON object with access_token (a string that is not empty),
      expires_in (a whole number), token_type (a string) and scope (a string). It may hold more members.`,
  needs: null,
  tested: prose`Reads the first token answer and, but for smoke, a second one against
      schemas/token-response.schema.json.`,
  breach: 'A member is missing or null, has another type, or the body is not a JSON object.',
  causes: prose`scope left out because it equals the scope that was asked for (OpenIddict and others do so, as
      OAuth 2.0 allows them), or given as an array; expires_in written as a string or with a fraction; a token
      object wrapped in an envelope such as {"data": …} by an API gateway or a response filter.`,
  fix: prose`Write all four members into every token answer: access_token and scope as strings, expires_in
      as a whole number, token_type as a string, at the top level of one JSON object; always name the granted
      scope, also where it is what was asked for.`,
  judge: (context) =>
    judgeAnswers(context, ({ body }) => {
      const departure = body.ok ? validatorFor('token-response')(body.value) : null;
      if (body.ok && departure === null) return null;
      const what = body.ok ? `${departure?.path.slice(1) || 'the body'} ${departure?.message}` : body.why;
      return {
        message: `the token answer is not as specified: ${what}`,
        expected:
          'a JSON object with access_token (non-empty string), expires_in (integer), token_type and scope (strings)',
        actual: departure?.actual === undefined ? what : departure.actual,
      };
    }),
});
