import type { RequirementId } from '../../core/requirement-id.ts';
import { breach, type Defect, type DefectDraft, defectsOf } from '../defect.ts';
import { counting, everyNth } from '../pipeline.ts';
import {
  changeSomeTokenBodies,
  changeTokenAnswer,
  changeTokenBody,
  endTokens,
  noteIssued,
  refuseGrants,
} from '../token-changes.ts';

/** The token answers to a client have a wrong member from the second one on. */
function laterDefect(
  must: RequirementId,
  member: string,
  words: string,
  change: (value: unknown) => unknown,
): DefectDraft {
  return {
    sentence: `The first token answer is correct; from the second on ${words}.`,
    keywords: [member],
    must: [must],
    apply: changeSomeTokenBodies(
      (number) => number > 1,
      (members) => ({ ...members, [member]: change(members[member]) }),
    ),
  };
}

/** Every n-th token is never accepted. */
function uselessTokenDefect(which: string, nth: number, needs: DefectDraft['needs'] = {}): DefectDraft {
  return {
    sentence: `${which} token that is issued is never accepted by the list.`,
    keywords: ['just issued'],
    must: ['authorization/accepted'],
    needs: { tokens: 'opaque', wholeSuite: true, order: true, ...needs },
    apply: everyNth(nth, (isUseless) =>
      endTokens((ended) =>
        noteIssued(({ token }) => {
          if (isUseless()) ended.add(token);
        }),
      ),
    ),
  };
}

const inOrder = { needs: { wholeSuite: true, order: true } } as const;
const withBothClients = { needs: { otherCredentials: true, wholeSuite: true } } as const;

/** Breaches of some token requests, answers or tokens only. */
export const someTokenDefects: readonly Defect[] = defectsOf({
  'later-token-type-lower-case': laterDefect(
    'token/type',
    'token_type',
    'token_type is bearer',
    () => 'bearer',
  ),
  'later-expires-in-text': laterDefect('token/shape', 'expires_in', 'expires_in is a string', String),
  'later-scope-missing': laterDefect('token/shape', 'scope', 'scope is left out', () => undefined),
  'later-scope-double-space': laterDefect(
    'token/scope',
    'scope',
    'two spaces separate the scopes',
    (scope) => `${scope}  more`,
  ),
  'later-expires-in-7200': laterDefect('token/validity', 'expires_in', 'expires_in is 7200', () => 7200),
  'later-expires-in-1800': laterDefect('token/validity', 'expires_in', 'expires_in is 1800', () => 1800),
  'other-client-expires-in-1800': breach(
    'token/validity',
    'expires_in',
    '1800',
    'second provider',
  )(
    'Each client has its own token lifetime: expires_in is 3600 for the first and 1800 for the second.',
    changeTokenBody((answer, _issued, grant, service) => {
      const isOther = grant.client.clientId === service.otherCredentials.clientId;
      return isOther ? { ...answer, expires_in: 1800 } : answer;
    }),
    { needs: { otherCredentials: true } },
  ),
  // Full runs do not use each token of a run.
  'token-every-third-useless': uselessTokenDefect('Every third', 3, { suite: 'certify' }),
  'token-every-other-useless': uselessTokenDefect('Every second', 2),
  'token-status-201-every-fifth': breach('token/issued', '201')(
    'Every fifth token answer has status 201.',
    everyNth(5, (isTurn) => changeTokenAnswer((answer) => (isTurn() ? { ...answer, status: 201 } : answer))),
    inOrder,
  ),
  'token-status-201-second-client': breach('token/issued', '201')(
    'The token answers of the second client have status 201.',
    changeTokenAnswer((answer, request, { credentials }) => {
      const isFirst = String(request.body).includes(`client_id=${credentials.clientId}`);
      return isFirst ? answer : { ...answer, status: 201 };
    }),
    withBothClients,
  ),
  'token-status-201-at-first': breach('token/issued', '201')(
    'The first token answer to each client has status 201.',
    counting((count) =>
      changeTokenAnswer((answer, request) => {
        const clientId = /client_id=[^&]*/.exec(String(request.body))?.[0] ?? '';
        return count(clientId) === 1 ? { ...answer, status: 201 } : answer;
      }),
    ),
    withBothClients,
  ),
  'token-request-refused-every-fifth': breach('token/issued', '400')(
    'Every fifth valid token request of a client is refused with unauthorized_client.',
    refuseGrants((number) => number % 5 === 0, 400, 'unauthorized_client'),
    inOrder,
  ),
  'token-request-fails-every-third-time': breach('token/issued', '500')(
    'Every third valid token request is answered 500.',
    refuseGrants((number) => number % 3 === 0, 500, 'server_error'),
    inOrder,
  ),
  'token-request-fails-in-pairs': breach('token/issued', '500')(
    'The third and the fourth of each four valid token requests are answered 500.',
    refuseGrants((number) => number % 4 === 3 || number % 4 === 0, 500, 'server_error'),
    inOrder,
  ),
  'token-requests-refused-after-first': breach('token/issued', '400')(
    'A client obtains one token; each later valid request is refused with unauthorized_client.',
    refuseGrants((number) => number > 1, 400, 'unauthorized_client'),
    inOrder,
  ),
});
