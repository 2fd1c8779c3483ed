import { refuseToken } from '../conforming/token.ts';
import type { DefectDraft } from '../defect.ts';
import { type Change, wrap } from '../pipeline.ts';

/** Issues tokens of which those whose number, from 1, is selected are never accepted. */
function uselessTokens(isUseless: (number: number) => boolean): Change {
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

/** Refuses right token requests of the first client whose number, from 1, is selected. */
function refuseRequests(isRefused: (number: number) => boolean): Change {
  return (steps) => {
    let number = 0;
    return wrap('grant', (grant) => (form, service) => {
      const granted = grant(form, service);
      if (granted.client.clientId !== service.credentials.clientId) return granted;
      if (isRefused(++number)) refuseToken(400, 'unauthorized_client', 'the client may not request a token');
      return granted;
    })(steps);
  };
}

function uselessTokenDefect(id: string, which: string, isUseless: (number: number) => boolean): DefectDraft {
  return {
    id,
    sentence: `${which} token that is issued is never accepted by the list.`,
    keywords: ['just issued'],
    must: ['authorization/accepted'],
    needs: { tokens: 'opaque', wholeSuite: true, order: true },
    apply: uselessTokens(isUseless),
  };
}

/** Breaches of some token requests only, or of some tokens only. */
export const someTokenDefects: readonly DefectDraft[] = [
  uselessTokenDefect('token-every-third-useless', 'Every third', (number) => number % 3 === 0),
  uselessTokenDefect('token-every-other-useless', 'Every other', (number) => number % 2 === 0),
  {
    id: 'token-status-201-every-fifth',
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
  {
    id: 'token-request-refused-every-fifth',
    sentence: 'Every fifth right token request of a client is refused with unauthorized_client.',
    keywords: ['400'],
    must: ['token/issued'],
    needs: { wholeSuite: true, order: true },
    apply: refuseRequests((number) => number % 5 === 0),
  },
  {
    id: 'token-requests-refused-after-some',
    sentence: 'A client obtains six tokens; each further right request is refused with unauthorized_client.',
    keywords: ['400'],
    must: ['token/issued'],
    needs: { wholeSuite: true, order: true },
    apply: refuseRequests((number) => number > 6),
  },
];
