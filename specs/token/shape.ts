import { requirement } from '../../src/judge/check.ts';
import { tokenAnswerRule } from '../../src/judge/rules/token-answer-rule.ts';
import { Violation } from '../../src/judge/violation.ts';
import { validatorFor } from '../../src/provider/schemas.ts';

export const tokenShape = requirement({
  id: 'token/shape',
  clause: ['2.1'],
  smoke: true,
  rule: `A successful token answer is one JSON object with access_token (a string that is not empty), expires_in
      (a whole number), token_type (a string) and scope (a string). It may have other members.`,
  tested: `Validates the first token answer against schemas/token-response.schema.json; except in smoke, a second
      one as well. Certify also requests the scopes in another order, one of them, and one of them twice; a provider
      may refuse these.`,
  breach: 'A member is missing or null, has another type, or the body is not a JSON object.',
  causes: `scope left out because it equals the requested scope (OpenIddict and others do this, as OAuth 2.0
      allows), or given as an array; expires_in as a string or a fraction; a token object inside an envelope such as
      {"data": …}, added by an API gateway or a response filter.`,
  fix: `Write all four members into every token answer, at the top level of one JSON object: access_token,
      token_type and scope as strings, expires_in as a whole number. Always name the granted scope, even if it is the
      requested one.`,
  judge: tokenAnswerRule((answer) => {
    const { body } = answer;
    const mismatch = body.ok ? validatorFor('token-response')(body.value) : null;
    if (body.ok && mismatch === null) return 'kept';
    const [member = ''] = mismatch?.path.split('/').slice(1) ?? [];
    const what = body.ok ? `${mismatch?.path.slice(1) || 'the body'} ${mismatch?.message}` : body.why;
    return new Violation({
      message: `the token answer is not as specified: ${what}`,
      expected:
        'a JSON object with access_token (non-empty string), expires_in (integer), token_type and scope (strings)',
      actual: mismatch?.actual === undefined ? what : mismatch.actual,
      ...(member === '' ? {} : { counterexample: { member } }),
      exchanges: [answer],
    });
  }),
});
