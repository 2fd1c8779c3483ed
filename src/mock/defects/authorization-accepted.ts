import { type Defect, defectsOf } from '../defect.ts';
import { wrap } from '../pipeline.ts';
import { parameterOf } from './authorization-gate.ts';

/** Defects that refuse a valid token. */
export const acceptedDefects: readonly Defect[] = defectsOf({
  'authorization-always-refused': {
    sentence: 'Every list call is answered 401, even with a token just issued.',
    keywords: ['401'],
    must: ['authorization/accepted'],
    difficulty: 'plain',
    apply: wrap('authorize', () => async () => false),
  },
  'authorization-other-scheme-demanded': {
    sentence: 'The token is accepted under the scheme Token only; as Bearer it is answered 401.',
    keywords: ['401'],
    must: ['authorization/accepted'],
    may: ['authorization/scheme'],
    difficulty: 'plain',
    apply: wrap('bearer', () => (request) => {
      const header = request.headers['authorization'];
      return typeof header === 'string' && header.startsWith('Token ') ? header.slice(6) : undefined;
    }),
  },
  'authorization-query-demanded': {
    sentence: 'The token is accepted in the query only; in the Authorization header it is answered 401.',
    keywords: ['401'],
    must: ['authorization/accepted'],
    may: ['authorization/scheme'],
    difficulty: 'plain',
    apply: wrap('bearer', () => (request, service) => parameterOf(request, service, 'access_token')),
  },
  'authorization-first-use-refused': {
    sentence: 'Every token is answered 401 at its first use, because it is not replicated yet.',
    keywords: ['401'],
    must: ['authorization/accepted'],
    apply: wrap('current', (current) => {
      const seen = new Set<string>();
      return (session, token, service) => {
        const known = seen.has(token);
        seen.add(token);
        return known && current(session, token, service);
      };
    }),
  },
  'list-answered-206': {
    sentence: 'A page that is not the whole list has status 206 instead of 200.',
    keywords: ['206'],
    must: ['authorization/accepted'],
    may: ['traversal/followable'],
    difficulty: 'hidden',
    apply: wrap('pageAnswer', (pageAnswer) => (body, page, service) => {
      const answer = pageAnswer(body, page, service);
      return page.positions.length < page.total ? { ...answer, status: 206 } : answer;
    }),
  },
  'counted-list-answered-206': {
    sentence: 'A page with a count has status 206 instead of 200, as if it were a range.',
    keywords: ['206'],
    must: ['authorization/accepted'],
    difficulty: 'hidden',
    apply: wrap('pageAnswer', (pageAnswer) => (body, page, service) => {
      const answer = pageAnswer(body, page, service);
      return page.counting ? { ...answer, status: 206 } : answer;
    }),
  },
  'list-refuses-accept-json': {
    sentence: 'A list call that accepts application/json is answered 406.',
    keywords: ['406'],
    must: ['authorization/accepted'],
    difficulty: 'plain',
    apply: wrap('list', (list) => (request, resource, service) => {
      const accept = request.headers['accept'];
      return accept === 'application/json'
        ? { status: 406, headers: {}, body: '' }
        : list(request, resource, service);
    }),
  },
});
