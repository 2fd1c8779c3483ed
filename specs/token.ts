import { Blocked } from '../src/core/undecided.ts';
import { check } from '../src/judge/check.ts';
import { judgeAcceptedUntilExpiry, judgeRefusedAfterExpiry } from '../src/judge/expiry.ts';
import { judgeIssued } from '../src/judge/issued.ts';
import { judgeAnswers } from '../src/judge/issued-answers.ts';
import { judgeClient, judgeGrantType, judgeIsolation, judgeSecret } from '../src/judge/refused-tokens.ts';
import { probing } from '../src/judge/tokens.ts';
import { judgeValidity } from '../src/judge/validity.ts';
import { member } from '../src/provider/json-reader.ts';
import { kindOf, validatorFor } from '../src/provider/schemas.ts';
import type { TokenAnswer } from '../src/provider/token-answer.ts';

/** Chapter token: obtaining a token (4.1, 2.1, 5). */
export const token = [
  check('token/issued', judgeIssued),

  check('token/shape', (context) =>
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
  ),

  check('token/type', (context) =>
    judgeAnswers(context, (answer) => {
      const value = stringMember(answer, 'token_type');
      if (value === 'Bearer') return null;
      return {
        message: `token_type is ${JSON.stringify(value)} instead of "Bearer"`,
        expected: 'Bearer',
        actual: value,
      };
    }),
  ),

  check('token/validity', judgeValidity),

  check('token/scope', (context) =>
    judgeAnswers(context, (answer) => {
      const value = stringMember(answer, 'scope');
      const isList = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(value);
      const mark = isList ? joinedBy(value, context.target.credentials.scope) : null;
      if (isList && mark === null) return null;
      return {
        message:
          mark === null
            ? `scope is ${JSON.stringify(value)}, which is no list of scope tokens separated by single spaces`
            : `scope is ${JSON.stringify(value)}: the scopes that were asked for, joined by ${JSON.stringify(mark)} instead of a space`,
        expected: 'scope tokens (RFC 6749, section 3.3) separated by single spaces',
        actual: value,
      };
    }),
  ),

  check('token/grant-type', probing(judgeGrantType)),

  check('token/secret', probing(judgeSecret)),

  check('token/client', probing(judgeClient)),

  check('token/provider-isolation', probing(judgeIsolation)),

  check('token/accepted-until-expiry', judgeAcceptedUntilExpiry),

  check('token/refused-after-expiry', judgeRefusedAfterExpiry),
];

/** What stands between scopes that were asked for where it is no space; null where nothing does. */
function joinedBy(granted: string, requested: string): string | null {
  const asked = new Set(requested.split(' '));
  return (
    [',', ';', '|', '+', '%20'].find((mark) => {
      const parts = granted.split(mark).map((part) => part.trim());
      return parts.length > 1 && !asked.has(granted) && parts.every((part) => asked.has(part));
    }) ?? null
  );
}

function stringMember(answer: TokenAnswer, name: string): string {
  const value = answer.body.ok ? member(answer.body.value, name) : undefined;
  if (typeof value === 'string') return value;
  throw new Blocked('token/shape', `${name} is ${answer.body.ok ? kindOf(value) : 'not to be had'}`);
}
