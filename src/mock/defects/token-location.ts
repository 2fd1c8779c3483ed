import type { DefectDraft, Difficulty } from '../defect.ts';
import { type Change, type ReceivedRequest, wrap } from '../pipeline.ts';

/** Finds a token where none belongs. */
type FindToken = (request: ReceivedRequest) => string | undefined;

/** Also takes a token from elsewhere when there is no proper one. */
export function acceptTokenFrom(find: FindToken): Change {
  return wrap('bearer', (bearer) => (request, service) => bearer(request, service) ?? find(request));
}

/** The value of a header; `''` where there is none. */
export function headerOf(request: ReceivedRequest, name = 'authorization'): string {
  return request.headers[name]?.toString() ?? '';
}

/** A provider that takes the token from elsewhere, too; `words` say from where. */
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
