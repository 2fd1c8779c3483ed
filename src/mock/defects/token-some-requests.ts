import type { RequirementId } from '../../core/requirement-id.ts';
import { refuseToken } from '../conforming/token.ts';
import { type Defect, type DefectDraft, defectsOf } from '../defect.ts';
import { type Change, wrap } from '../pipeline.ts';
import { changeTokenBody } from '../step-changes.ts';

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
    apply: (steps) => {
      const given = new Map<string, number>();
      return changeTokenBody((answer, _issued, { client: { clientId } }) => {
        given.set(clientId, (given.get(clientId) ?? 0) + 1);
        return given.get(clientId) === 1 ? answer : { ...answer, [member]: change(answer[member]) };
      })(steps);
    },
  };
}

/** Issues tokens of which those whose number, from 1, is selected are never accepted. */
function neverAcceptedTokens(isUseless: (number: number) => boolean): Change {
  return (steps) => {
    const useless = new Set<string>();
    let number = 0;
    return {
      ...steps,
      issue: async (grant, service) => {
        const issued = await steps.issue(grant, service);
        if (isUseless(++number)) useless.add(issued.token);
        return issued;
      },
      current: (session, token, service) => !useless.has(token) && steps.current(session, token, service),
    };
  };
}

/** Refuses valid token requests of the first client whose number, from 1, is selected, or answers them with a server error. */
function refuseRequests(isRefused: (number: number) => boolean, status: 400 | 500 = 400): Change {
  return (steps) => {
    let number = 0;
    return wrap('grant', (grant) => (form, service) => {
      const granted = grant(form, service);
      if (granted.client.clientId !== service.credentials.clientId) return granted;
      const error = status === 500 ? 'server_error' : 'unauthorized_client';
      if (isRefused(++number)) refuseToken(status, error, 'the client obtains no token now');
      return granted;
    })(steps);
  };
}

function uselessTokenDefect(
  which: string,
  isUseless: (number: number) => boolean,
  needs: DefectDraft['needs'] = {},
): DefectDraft {
  return {
    sentence: `${which} token that is issued is never accepted by the list.`,
    keywords: ['just issued'],
    must: ['authorization/accepted'],
    needs: { tokens: 'opaque', wholeSuite: true, order: true, ...needs },
    apply: neverAcceptedTokens(isUseless),
  };
}

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
  'other-client-expires-in-1800': {
    sentence:
      'Each client has its own token lifetime: expires_in is 3600 for the first and 1800 for the second.',
    keywords: ['expires_in', '1800', 'second provider'],
    must: ['token/validity'],
    needs: { otherCredentials: true },
    apply: changeTokenBody((answer, _issued, grant, service) => {
      const isOther = grant.client.clientId === service.otherCredentials.clientId;
      return isOther ? { ...answer, expires_in: 1800 } : answer;
    }),
  },
  'token-every-third-useless': uselessTokenDefect('Every third', (number) => number % 3 === 0, {
    // Full runs do not use each token of a run.
    suite: 'certify',
  }),
  'token-every-other-useless': uselessTokenDefect('Every second', (number) => number % 2 === 0),
  'token-status-201-every-fifth': {
    sentence: 'Every fifth token answer has status 201.',
    keywords: ['201'],
    must: ['token/issued'],
    needs: { wholeSuite: true, order: true },
    apply: (steps) => {
      let number = 0;
      return wrap('tokenAnswer', (tokenAnswer) => (...given) => {
        const answer = tokenAnswer(...given);
        return ++number % 5 === 0 ? { ...answer, status: 201 } : answer;
      })(steps);
    },
  },
  'token-status-201-second-client': {
    sentence: 'The token answers of the second client have status 201.',
    keywords: ['201'],
    must: ['token/issued'],
    needs: { otherCredentials: true, wholeSuite: true },
    difficulty: 'subtle',
    apply: wrap('tokenAnswer', (tokenAnswer) => (body, request, service) => {
      const answer = tokenAnswer(body, request, service);
      const isFirst = String(request.body).includes(`client_id=${service.credentials.clientId}`);
      return isFirst ? answer : { ...answer, status: 201 };
    }),
  },
  'token-status-201-at-first': {
    sentence: 'The first token answer to each client has status 201.',
    keywords: ['201'],
    must: ['token/issued'],
    needs: { otherCredentials: true, wholeSuite: true },
    difficulty: 'subtle',
    apply: (steps) => {
      const known = new Set<string>();
      return wrap('tokenAnswer', (tokenAnswer) => (body, request, service) => {
        const answer = tokenAnswer(body, request, service);
        const clientId = /client_id=[^&]*/.exec(String(request.body))?.[0] ?? '';
        const isFirst = !known.has(clientId);
        known.add(clientId);
        return isFirst ? { ...answer, status: 201 } : answer;
      })(steps);
    },
  },
  'token-request-refused-every-fifth': {
    sentence: 'Every fifth valid token request of a client is refused with unauthorized_client.',
    keywords: ['400'],
    must: ['token/issued'],
    needs: { wholeSuite: true, order: true },
    apply: refuseRequests((number) => number % 5 === 0),
  },
  'token-request-fails-every-third-time': {
    sentence: 'Every third valid token request is answered 500.',
    keywords: ['500'],
    must: ['token/issued'],
    needs: { wholeSuite: true, order: true },
    difficulty: 'subtle',
    apply: refuseRequests((number) => number % 3 === 0, 500),
  },
  'token-request-fails-in-pairs': {
    sentence: 'The third and the fourth of each four valid token requests are answered 500.',
    keywords: ['500'],
    must: ['token/issued'],
    needs: { wholeSuite: true, order: true },
    difficulty: 'subtle',
    apply: refuseRequests((number) => number % 4 === 3 || number % 4 === 0, 500),
  },
  'token-requests-refused-after-first': {
    sentence: 'A client obtains one token; each later valid request is refused with unauthorized_client.',
    keywords: ['400'],
    must: ['token/issued'],
    needs: { wholeSuite: true, order: true },
    apply: refuseRequests((number) => number > 1),
  },
});
