import { Blocked } from '../src/core/undecided.ts';
import { check } from '../src/judge/check.ts';
import type { CheckContext } from '../src/judge/context.ts';
import { judgeAcceptedUntilExpiry, judgeRefusedAfterExpiry } from '../src/judge/expiry.ts';
import { Violation } from '../src/judge/findings.ts';
import { judgeIssued } from '../src/judge/issued.ts';
import { judgeClient, judgeGrantType, judgeIsolation, judgeSecret } from '../src/judge/refused-tokens.ts';
import { probing } from '../src/judge/tokens.ts';
import { judgeValidity } from '../src/judge/validity.ts';
import { member } from '../src/provider/body.ts';
import { kindOf, validatorFor } from '../src/provider/schemas.ts';
import type { TokenAnswer } from '../src/provider/token-answer.ts';

/** Chapter token: obtaining a token (4.1, 2.1, 5). */
export const token = [
  check('token/issued', judgeIssued),

  check('token/shape', async (context) => {
    for (const answer of await issuedAnswers(context)) {
      context.exercised();
      const departure = answer.body.ok ? validatorFor('token-response')(answer.body.value) : null;
      if (answer.body.ok && departure === null) continue;
      const what = answer.body.ok
        ? `${departure?.path.slice(1) || 'the body'} ${departure?.message}`
        : answer.body.why;
      throw new Violation({
        message: `the token answer is not as specified: ${what}`,
        expected:
          'a JSON object with access_token (non-empty string), expires_in (integer), token_type and scope (strings)',
        actual: departure?.actual === undefined ? what : departure.actual,
        exchanges: [answer.exchange.number],
      });
    }
  }),

  check('token/type', async (context) => {
    for (const answer of await issuedAnswers(context)) {
      const value = stringMember(answer, 'token_type');
      context.exercised();
      if (value === 'Bearer') continue;
      throw new Violation({
        message: `token_type is ${JSON.stringify(value)} instead of "Bearer"`,
        expected: 'Bearer',
        actual: value,
        exchanges: [answer.exchange.number],
      });
    }
  }),

  check('token/validity', judgeValidity),

  check('token/scope', async (context) => {
    for (const answer of await issuedAnswers(context)) {
      const value = stringMember(answer, 'scope');
      context.exercised();
      const isList = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(value);
      const mark = isList ? joinedBy(value, context.target.credentials.scope) : null;
      if (isList && mark === null) continue;
      throw new Violation({
        message:
          mark === null
            ? `scope is ${JSON.stringify(value)}, which is no list of scope tokens separated by single spaces`
            : `scope is ${JSON.stringify(value)}: the scopes that were asked for, joined by ${JSON.stringify(mark)} instead of a space`,
        expected: 'scope tokens (RFC 6749, section 3.3) separated by single spaces',
        actual: value,
        exchanges: [answer.exchange.number],
      });
    }
  }),

  check('token/grant-type', probing(judgeGrantType)),

  check('token/secret', probing(judgeSecret)),

  check('token/client', probing(judgeClient)),

  check('token/provider-isolation', probing(judgeIsolation)),

  check('token/accepted-until-expiry', judgeAcceptedUntilExpiry),

  check('token/refused-after-expiry', judgeRefusedAfterExpiry),
];

/**
 * The first token answer and, but for `smoke`, a second one and that of the second provider: what is right once is not
 * right each time, nor for every client.
 */
async function issuedAnswers({ tokens, options, target }: CheckContext): Promise<readonly TokenAnswer[]> {
  const first = await tokens.issued();
  if (options.suite === 'smoke') return [first];
  const further = [
    await tokens.second(),
    ...(target.otherCredentials === null ? [] : [await tokens.other()]),
  ];
  return [first, ...further.filter((answer) => answer.status === 200 && answer !== first)];
}

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
