import type { RequirementId } from '../../core/requirement-id.ts';
import type { DefectDraft } from '../defect.ts';
import { type Change, wrap } from '../pipeline.ts';

type Body = Record<string, unknown>;

/** Changes the token answers to a client from the second one on. */
function changeLaterAnswers(rewrite: (answer: Body) => Body): Change {
  return (steps) => {
    const given = new Map<string, number>();
    return wrap('tokenBody', (tokenBody) => (issued, grant, service) => {
      const { clientId } = grant.client;
      given.set(clientId, (given.get(clientId) ?? 0) + 1);
      const answer = tokenBody(issued, grant, service);
      return given.get(clientId) === 1 ? answer : rewrite(answer);
    })(steps);
  };
}

function laterDefect(
  id: string,
  must: RequirementId,
  keyword: string,
  words: string,
  rewrite: (answer: Body) => Body,
): DefectDraft {
  const sentence = `The first token answer is correct; from the second on ${words}.`;
  return { id, sentence, keywords: [keyword], must: [must], apply: changeLaterAnswers(rewrite) };
}

/** Defects of token answers after the first one. */
export const laterAnswerDefects: readonly DefectDraft[] = [
  laterDefect(
    'later-token-type-lower-case',
    'token/type',
    'token_type',
    'token_type is bearer',
    (answer) => ({ ...answer, token_type: 'bearer' }),
  ),
  laterDefect('later-expires-in-text', 'token/shape', 'expires_in', 'expires_in is a string', (answer) => ({
    ...answer,
    expires_in: String(answer['expires_in']),
  })),
  laterDefect('later-scope-missing', 'token/shape', 'scope', 'scope is left out', (answer) => {
    const { scope: _left, ...rest } = answer;
    return rest;
  }),
  laterDefect(
    'later-scope-double-space',
    'token/scope',
    'scope',
    'two spaces separate the scopes',
    (answer) => ({ ...answer, scope: `${answer['scope']}  more` }),
  ),
  laterDefect('later-expires-in-7200', 'token/validity', 'expires_in', 'expires_in is 7200', (answer) => ({
    ...answer,
    expires_in: 7200,
  })),
  laterDefect('later-expires-in-1800', 'token/validity', 'expires_in', 'expires_in is 1800', (answer) => ({
    ...answer,
    expires_in: 1800,
  })),
  {
    id: 'other-client-expires-in-1800',
    sentence:
      'Each client has its own token lifetime: expires_in is 3600 for the first and 1800 for the second.',
    keywords: ['expires_in', '1800', 'second provider'],
    must: ['token/validity'],
    needs: { otherCredentials: true },
    apply: wrap('tokenBody', (tokenBody) => (issued, grant, service) => {
      const answer = tokenBody(issued, grant, service);
      const isOther = grant.client.clientId === service.otherCredentials.clientId;
      return isOther ? { ...answer, expires_in: 1800 } : answer;
    }),
  },
];
