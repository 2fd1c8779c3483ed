import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { stringMember, tokenAnswerRule } from '../../src/judge/rules/token-answer-rule.ts';
import { Violation } from '../../src/judge/violation.ts';

export const tokenScope = requirement({
  id: 'token/scope',
  clause: ['2.1'],
  rule: `scope is a list of scope tokens made of the characters that RFC 6749 section 3.3 allows, with exactly
      one space between two of them.`,
  tested: `Parses scope of the first token answer by the grammar of RFC 6749 section 3.3; except in smoke, of a
      second one as well. Checks whether it consists of the requested scopes joined by anything but a space. Certify
      also requests the scopes in another order, one of them, and one of them twice; a provider may refuse these.`,
  breach: `Commas, line breaks or double spaces between scopes, a space at either end, quotes, an empty string.`,
  causes: `An array joined with commas, or printed as JSON inside a string; scopes of roles joined with a
      trailing space; the requested scope returned untrimmed.`,
  fix: 'Join the granted scopes with one space each, trim the result, and write it as one string.',
  judge: tokenAnswerRule((answer, { credentials }) => {
    const value = stringMember(answer, 'scope');
    if (value instanceof Blocked) return value;
    const isList = /^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(value);
    const mark = isList ? joinedBy(value, credentials.scope) : null;
    if (isList && mark === null) return 'kept';
    return new Violation({
      message:
        mark === null
          ? `scope is ${JSON.stringify(value)}, which is not a list of scope tokens separated by single spaces`
          : `scope is ${JSON.stringify(value)}: the requested scopes, joined by ${JSON.stringify(mark)} instead of a space`,
      expected: 'scope tokens (RFC 6749, section 3.3) separated by single spaces',
      actual: value,
      exchanges: [answer],
    });
  }),
});

/** What joins the requested scopes instead of a space; null if nothing does. */
function joinedBy(granted: string, requested: string): string | null {
  const requestedScopes = new Set(requested.split(' '));
  return (
    [',', ';', '|', '+', '%20'].find((mark) => {
      const parts = granted.split(mark).map((part) => part.trim());
      return (
        parts.length > 1 && !requestedScopes.has(granted) && parts.every((part) => requestedScopes.has(part))
      );
    }) ?? null
  );
}
