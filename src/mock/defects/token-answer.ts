import type { DefectDraft } from '../defect.ts';
import { type Change, wrap } from '../pipeline.ts';
import { changeTokenBody } from '../step-changes.ts';

function scope(rewrite: (text: string) => unknown): Change {
  return changeTokenBody((answer) => ({ ...answer, scope: rewrite(String(answer['scope'])) }));
}

function text(rewrite: (json: string) => string): Change {
  return wrap('tokenAnswer', (tokenAnswer) => (answer, request, service) => {
    const before = tokenAnswer(answer, request, service);
    return { ...before, body: rewrite(Buffer.from(before.body).toString('utf8')) };
  });
}

function without(name: string): Change {
  return changeTokenBody((answer) =>
    Object.fromEntries(Object.entries(answer).filter(([key]) => key !== name)),
  );
}

const shape: readonly DefectDraft[] = [
  {
    id: 'expires-in-text',
    sentence: 'expires_in is a string of digits instead of a number.',
    keywords: ['expires_in'],
    must: ['token/shape'],
    may: ['token/validity'],
    difficulty: 'plain',
    apply: changeTokenBody((answer) => ({ ...answer, expires_in: String(answer['expires_in']) })),
  },
  {
    id: 'expires-in-fraction',
    sentence: 'expires_in is the fraction 3599.75 instead of an integer.',
    keywords: ['expires_in'],
    must: ['token/shape'],
    may: ['token/validity'],
    difficulty: 'hidden',
    apply: changeTokenBody((answer) => ({ ...answer, expires_in: Number(answer['expires_in']) - 0.25 })),
  },
  {
    id: 'expires-in-missing',
    sentence: 'expires_in is missing.',
    keywords: ['expires_in'],
    must: ['token/shape'],
    may: ['token/validity'],
    difficulty: 'plain',
    apply: without('expires_in'),
  },
  {
    id: 'expires-in-null',
    sentence: 'expires_in is null.',
    keywords: ['expires_in'],
    must: ['token/shape'],
    may: ['token/validity'],
    difficulty: 'plain',
    apply: changeTokenBody((answer) => ({ ...answer, expires_in: null })),
  },
  {
    id: 'scope-array',
    sentence: 'scope is an array of strings instead of one string.',
    keywords: ['scope'],
    must: ['token/shape'],
    may: ['token/scope'],
    difficulty: 'plain',
    apply: scope((granted) => granted.split(' ')),
  },
  {
    id: 'scope-missing',
    sentence: 'scope is missing because it equals the requested scope.',
    keywords: ['scope'],
    must: ['token/shape'],
    may: ['token/scope'],
    difficulty: 'plain',
    apply: without('scope'),
  },
  {
    id: 'token-type-missing',
    sentence: 'token_type is missing.',
    keywords: ['token_type'],
    must: ['token/shape'],
    may: ['token/type'],
    difficulty: 'plain',
    apply: without('token_type'),
  },
  {
    id: 'token-type-list',
    sentence: 'token_type is an array holding Bearer.',
    keywords: ['token_type'],
    must: ['token/shape'],
    may: ['token/type'],
    difficulty: 'hidden',
    apply: changeTokenBody((answer) => ({ ...answer, token_type: [answer['token_type']] })),
  },
  {
    id: 'token-member-camel-case',
    sentence: 'The token is in a member accessToken instead of access_token.',
    keywords: ['access_token'],
    must: ['token/shape'],
    difficulty: 'plain',
    apply: changeTokenBody(({ access_token: accessToken, ...rest }) => ({ accessToken, ...rest })),
  },
  {
    id: 'token-empty',
    sentence: 'access_token is an empty string.',
    keywords: ['access_token'],
    must: ['token/shape'],
    difficulty: 'plain',
    apply: changeTokenBody((answer) => ({ ...answer, access_token: '' })),
  },
  {
    id: 'token-answer-array',
    sentence: 'The token answer is an array around the object.',
    keywords: ['object'],
    must: ['token/shape'],
    difficulty: 'plain',
    apply: text((json) => `[${json}]`),
  },
  {
    id: 'token-answer-nested',
    sentence: 'The token answer is wrapped in a member data, so there is no top-level access_token.',
    keywords: ['access_token'],
    must: ['token/shape'],
    difficulty: 'plain',
    apply: text((json) => `{"data":${json}}`),
  },
  {
    id: 'token-answer-form',
    sentence: 'The token answer is form-encoded text instead of JSON.',
    keywords: ['json'],
    must: ['token/shape'],
    difficulty: 'plain',
    apply: text(formText),
  },
  {
    id: 'token-answer-trailing',
    sentence: 'The token answer is JSON followed by further text, which is not valid JSON.',
    keywords: ['json'],
    must: ['token/shape'],
    difficulty: 'hidden',
    apply: text((json) => `${json};`),
  },
];

const typeAndValidity: readonly DefectDraft[] = [
  {
    id: 'token-type-lower-case',
    sentence: 'token_type is bearer in lower case instead of Bearer.',
    keywords: ['token_type', 'bearer'],
    must: ['token/type'],
    difficulty: 'plain',
    apply: changeTokenBody((answer) => ({ ...answer, token_type: 'bearer' })),
  },
  {
    id: 'token-type-other',
    sentence: 'token_type is JWT instead of Bearer.',
    keywords: ['token_type', 'jwt'],
    must: ['token/type'],
    difficulty: 'plain',
    apply: changeTokenBody((answer) => ({ ...answer, token_type: 'JWT' })),
  },
  {
    id: 'token-type-space',
    sentence: 'token_type is Bearer with a trailing space.',
    keywords: ['token_type'],
    must: ['token/type'],
    difficulty: 'hidden',
    apply: changeTokenBody((answer) => ({ ...answer, token_type: 'Bearer ' })),
  },
  ...[
    { id: 'expires-in-milliseconds', value: 3_600_000, words: 'counts milliseconds, 3600000', hard: 'plain' },
    { id: 'expires-in-minutes', value: 60, words: 'counts minutes, 60', hard: 'plain' },
    { id: 'expires-in-two-hours', value: 7200, words: 'claims two hours, 7200', hard: 'plain' },
    {
      id: 'expires-in-3599',
      value: 3599,
      words: 'is one second too low on a fresh token, 3599',
      hard: 'subtle',
    },
    { id: 'expires-in-zero', value: 0, words: 'is 0', hard: 'plain' },
  ].map(({ id, value, words, hard }): DefectDraft => {
    return {
      id,
      sentence: `expires_in ${words}, instead of 3600.`,
      keywords: ['expires_in', String(value)],
      must: ['token/validity'],
      difficulty: hard === 'subtle' ? 'subtle' : 'plain',
      apply: changeTokenBody((answer) => ({ ...answer, expires_in: value })),
    };
  }),
  {
    id: 'expires-in-moment',
    sentence: 'expires_in is the time of expiry in seconds since 1970 instead of 3600.',
    keywords: ['expires_in'],
    must: ['token/validity'],
    difficulty: 'hidden',
    apply: changeTokenBody((answer, issued) => ({
      ...answer,
      expires_in: Math.floor(issued.expiresAt / 1000),
    })),
  },
];

/** A wrong scope; `words` complete a sentence about the granted scopes. */
interface WrongScope {
  readonly id: string;
  readonly words: string;
  readonly to: (granted: string) => string;
}

const wrongScopes: readonly WrongScope[] = [
  {
    id: 'scope-two-spaces',
    words: 'are separated by two spaces',
    to: (granted) => granted.replaceAll(' ', '  '),
  },
  { id: 'scope-space-behind', words: 'have a trailing space', to: (granted) => `${granted} ` },
  { id: 'scope-space-in-front', words: 'have a leading space', to: (granted) => ` ${granted}` },
  { id: 'scope-commas', words: 'are separated by commas', to: (granted) => granted.replaceAll(' ', ',') },
  { id: 'scope-tab', words: 'are separated by a tab', to: (granted) => granted.replaceAll(' ', '\t') },
  { id: 'scope-lines', words: 'are separated by line ends', to: (granted) => granted.replaceAll(' ', '\n') },
  { id: 'scope-quoted', words: 'are in quotation marks', to: (granted) => `"${granted}"` },
  {
    id: 'scope-json-text',
    words: 'are a JSON array in a string',
    to: (granted) => JSON.stringify(granted.split(' ')),
  },
  { id: 'scope-backslash', words: 'contain a backslash', to: (granted) => granted.replaceAll('.', '\\') },
  {
    id: 'scope-beyond-ascii',
    words: 'contain a non-ASCII letter',
    to: (granted) => granted.replaceAll('a', 'ä'),
  },
  { id: 'scope-empty', words: 'are missing: scope is an empty string', to: () => '' },
];

const scopes: readonly DefectDraft[] = wrongScopes.map(({ id, words, to }) => {
  return {
    id,
    sentence: `The granted scopes ${words}.`,
    keywords: ['scope'],
    must: ['token/scope'],
    difficulty: id.includes('space') ? 'subtle' : 'hidden',
    apply: scope(to),
  };
});

/** Defects of the token answer. */
export const tokenAnswerDefects: readonly DefectDraft[] = [...shape, ...typeAndValidity, ...scopes];

// Another defect may have made it invalid JSON already.
function formText(json: string): string {
  try {
    const members = Object.entries(JSON.parse(json) as { readonly [name: string]: unknown });
    return new URLSearchParams(
      members.map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
  } catch {
    return json;
  }
}
