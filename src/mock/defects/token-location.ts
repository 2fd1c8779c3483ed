import type { DefectDraft, Difficulty } from '../defect.ts';
import { type Change, type ReceivedRequest, wrap } from '../pipeline.ts';

/** Reads a token from another place than the Bearer header. */
type FindToken = (request: ReceivedRequest) => string | undefined;

/** Also accepts a token from another place if there is no Bearer header. */
export function acceptTokenFrom(find: FindToken): Change {
  return wrap('bearer', (bearer) => (request, service) => bearer(request, service) ?? find(request));
}

/** The value of a header; `''` if there is none. */
export function headerOf(request: ReceivedRequest, name = 'authorization'): string {
  return request.headers[name]?.toString() ?? '';
}

/** A defect that accepts the token in another place; `words` complete the sentence. */
export function tokenLocationDefect(
  id: string,
  difficulty: Difficulty,
  words: string,
  find: FindToken,
): DefectDraft {
  return {
    id,
    sentence: `The token is accepted ${words}.`,
    keywords: ['token'],
    must: ['authorization/scheme'],
    difficulty,
    apply: acceptTokenFrom(find),
  };
}
