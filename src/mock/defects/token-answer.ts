import { type Defect, type DefectDraft, type Difficulty, defectsOf, defectsWith } from '../defect.ts';
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

const ofShape = { must: ['token/shape'] } satisfies Partial<DefectDraft>;

const shape = defectsWith(ofShape, {
  'expires-in-text': {
    sentence: 'expires_in is a string of digits instead of a number.',
    keywords: ['expires_in'],
    may: ['token/validity'],
    difficulty: 'plain',
    apply: changeTokenBody((answer) => ({ ...answer, expires_in: String(answer['expires_in']) })),
  },
  'expires-in-fraction': {
    sentence: 'expires_in is the fraction 3599.75 instead of an integer.',
    keywords: ['expires_in'],
    may: ['token/validity'],
    difficulty: 'hidden',
    apply: changeTokenBody((answer) => ({ ...answer, expires_in: Number(answer['expires_in']) - 0.25 })),
  },
  'expires-in-missing': {
    sentence: 'expires_in is missing.',
    keywords: ['expires_in'],
    may: ['token/validity'],
    difficulty: 'plain',
    apply: without('expires_in'),
  },
  'expires-in-null': {
    sentence: 'expires_in is null.',
    keywords: ['expires_in'],
    may: ['token/validity'],
    difficulty: 'plain',
    apply: changeTokenBody((answer) => ({ ...answer, expires_in: null })),
  },
  'scope-array': {
    sentence: 'scope is an array of strings instead of one string.',
    keywords: ['scope'],
    may: ['token/scope'],
    difficulty: 'plain',
    apply: scope((granted) => granted.split(' ')),
  },
  'scope-missing': {
    sentence: 'scope is missing because it equals the requested scope.',
    keywords: ['scope'],
    may: ['token/scope'],
    difficulty: 'plain',
    apply: without('scope'),
  },
  'token-type-missing': {
    sentence: 'token_type is missing.',
    keywords: ['token_type'],
    may: ['token/type'],
    difficulty: 'plain',
    apply: without('token_type'),
  },
  'token-type-list': {
    sentence: 'token_type is an array holding Bearer.',
    keywords: ['token_type'],
    may: ['token/type'],
    difficulty: 'hidden',
    apply: changeTokenBody((answer) => ({ ...answer, token_type: [answer['token_type']] })),
  },
  'token-member-camel-case': {
    sentence: 'The token is in a member accessToken instead of access_token.',
    keywords: ['access_token'],
    difficulty: 'plain',
    apply: changeTokenBody(({ access_token: accessToken, ...rest }) => ({ accessToken, ...rest })),
  },
  'token-empty': {
    sentence: 'access_token is an empty string.',
    keywords: ['access_token'],
    difficulty: 'plain',
    apply: changeTokenBody((answer) => ({ ...answer, access_token: '' })),
  },
  'token-answer-array': {
    sentence: 'The token answer is an array around the object.',
    keywords: ['object'],
    difficulty: 'plain',
    apply: text((json) => `[${json}]`),
  },
  'token-answer-nested': {
    sentence: 'The token answer is wrapped in a member data, so there is no top-level access_token.',
    keywords: ['access_token'],
    difficulty: 'plain',
    apply: text((json) => `{"data":${json}}`),
  },
  'token-answer-form': {
    sentence: 'The token answer is form-encoded text instead of JSON.',
    keywords: ['json'],
    difficulty: 'plain',
    apply: text(formText),
  },
  'token-answer-trailing': {
    sentence: 'The token answer is JSON followed by further text, which is not valid JSON.',
    keywords: ['json'],
    difficulty: 'hidden',
    apply: text((json) => `${json};`),
  },
});

/** An expires_in that is not 3600; `words` complete a sentence about it. */
function wrongValidity(value: number, difficulty: Difficulty, words: string): DefectDraft {
  return {
    sentence: `expires_in ${words}, instead of 3600.`,
    keywords: ['expires_in', String(value)],
    must: ['token/validity'],
    difficulty,
    apply: changeTokenBody((answer) => ({ ...answer, expires_in: value })),
  };
}

/** A wrong scope; `words` complete a sentence about the granted scopes. */
function wrongScope(difficulty: Difficulty, words: string, to: (granted: string) => string): DefectDraft {
  return {
    sentence: `The granted scopes ${words}.`,
    keywords: ['scope'],
    must: ['token/scope'],
    difficulty,
    apply: scope(to),
  };
}

const typeAndValidity = defectsOf({
  'token-type-lower-case': {
    sentence: 'token_type is bearer in lower case instead of Bearer.',
    keywords: ['token_type', 'bearer'],
    must: ['token/type'],
    difficulty: 'plain',
    apply: changeTokenBody((answer) => ({ ...answer, token_type: 'bearer' })),
  },
  'token-type-other': {
    sentence: 'token_type is JWT instead of Bearer.',
    keywords: ['token_type', 'jwt'],
    must: ['token/type'],
    difficulty: 'plain',
    apply: changeTokenBody((answer) => ({ ...answer, token_type: 'JWT' })),
  },
  'token-type-space': {
    sentence: 'token_type is Bearer with a trailing space.',
    keywords: ['token_type'],
    must: ['token/type'],
    difficulty: 'hidden',
    apply: changeTokenBody((answer) => ({ ...answer, token_type: 'Bearer ' })),
  },
  'expires-in-milliseconds': wrongValidity(3_600_000, 'plain', 'counts milliseconds, 3600000'),
  'expires-in-minutes': wrongValidity(60, 'plain', 'counts minutes, 60'),
  'expires-in-two-hours': wrongValidity(7200, 'plain', 'claims two hours, 7200'),
  'expires-in-3599': wrongValidity(3599, 'subtle', 'is one second too low on a fresh token, 3599'),
  'expires-in-zero': wrongValidity(0, 'plain', 'is 0'),
  'expires-in-moment': {
    sentence: 'expires_in is the time of expiry in seconds since 1970 instead of 3600.',
    keywords: ['expires_in'],
    must: ['token/validity'],
    difficulty: 'hidden',
    apply: changeTokenBody((answer, issued) => ({
      ...answer,
      expires_in: Math.floor(issued.expiresAt / 1000),
    })),
  },
});

const scopes = defectsOf({
  'scope-two-spaces': wrongScope('subtle', 'are separated by two spaces', (granted) =>
    granted.replaceAll(' ', '  '),
  ),
  'scope-space-behind': wrongScope('subtle', 'have a trailing space', (granted) => `${granted} `),
  'scope-space-in-front': wrongScope('subtle', 'have a leading space', (granted) => ` ${granted}`),
  'scope-commas': wrongScope('hidden', 'are separated by commas', (granted) => granted.replaceAll(' ', ',')),
  'scope-tab': wrongScope('hidden', 'are separated by a tab', (granted) => granted.replaceAll(' ', '\t')),
  'scope-lines': wrongScope('hidden', 'are separated by line ends', (granted) =>
    granted.replaceAll(' ', '\n'),
  ),
  'scope-quoted': wrongScope('hidden', 'are in quotation marks', (granted) => `"${granted}"`),
  'scope-json-text': wrongScope('hidden', 'are a JSON array in a string', (granted) =>
    JSON.stringify(granted.split(' ')),
  ),
  'scope-backslash': wrongScope('hidden', 'contain a backslash', (granted) => granted.replaceAll('.', '\\')),
  'scope-beyond-ascii': wrongScope('hidden', 'contain a non-ASCII letter', (granted) =>
    granted.replaceAll('a', 'ä'),
  ),
  'scope-empty': wrongScope('hidden', 'are missing: scope is an empty string', () => ''),
});

/** Defects of the token answer. */
export const tokenAnswerDefects: readonly Defect[] = [...shape, ...typeAndValidity, ...scopes];

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
