import type { RequirementId } from '../../core/requirement-id.ts';
import {
  type DefectNeeds,
  type Difficulty,
  defectsWith,
  having,
  hidden,
  plain,
  type Row,
  subtle,
} from '../catalogue-rows.ts';
import { type Change, counting, onCallNumbers, onCalls, rewrite } from '../changes.ts';
import type { Members } from '../page-changes.ts';
import type { Grant } from '../pipeline.ts';
import { changeTokenMember, changeTokenText, setTokenMembers, tokensOfCaches } from '../token-changes.ts';

/** Makes a change of the members of some token answers, by their number from 1 for each client. */
function onTokenNumbers(isChanged: (number: number) => boolean): (change: Change) => Change {
  return (change) =>
    counting((count) =>
      onCalls((_issued, grant) => isChanged(count((grant as Grant).client.clientId)))(change),
    );
}

/** Begins rows of wrong members in those token answers to a client whose number, from 1, is selected. */
function wrongTokens(
  opening: string,
  isWrong: (number: number) => boolean,
  needs: DefectNeeds = {},
): (must: RequirementId, words: string, wrong: Members) => Row {
  return (must, words, wrong) =>
    having({ must: [must], keywords: Object.keys(wrong), needs })
      .subtle(`${opening} ${words}.`)
      .by(onTokenNumbers(isWrong)(setTokenMembers(wrong)));
}

const fromSecondOn = wrongTokens(
  'The first token answer is correct; from the second on',
  (number) => number > 1,
);

const onlyThird = wrongTokens('Only the third token answer to a client is wrong:', (number) => number === 3, {
  order: true,
});

function changeScope(change: (granted: string) => unknown): Change {
  return changeTokenMember('scope', (granted) => change(String(granted)));
}

/** Makes a change of the answers to requests for other scopes than those of the client, or for these in another form. */
function onOtherScopes(
  isChanged: (requested: string, issued: string) => boolean,
): (change: Change) => Change {
  return onCalls((_issued, grant) => {
    const { client, scope } = grant as Grant;
    return isChanged(scope, client.scope);
  });
}

const ofExpiresIn = having({ keywords: ['expires_in'], may: ['token/validity'] });

const ofScope = having({ keywords: ['scope'], may: ['token/scope'] });

const ofType = having({ keywords: ['token_type'], may: ['token/type'] });

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

const shape = defectsWith({ keywords: ['access_token'], must: ['token/shape'] })({
  'expires-in-text': ofExpiresIn
    .plain('expires_in is a string of digits instead of a number.')
    .by(changeTokenMember('expires_in', String)),
  'expires-in-fraction': ofExpiresIn
    .hidden('expires_in is the fraction 3599.75 instead of an integer.')
    .by(changeTokenMember('expires_in', (seconds) => Number(seconds) - 0.25)),
  'expires-in-missing': ofExpiresIn
    .plain('expires_in is missing.')
    .by(setTokenMembers({ expires_in: undefined })),
  'expires-in-null': ofExpiresIn.plain('expires_in is null.').by(setTokenMembers({ expires_in: null })),
  'scope-array': ofScope
    .plain('scope is an array of strings instead of one string.')
    .by(changeScope((granted) => granted.split(' '))),
  'scope-missing': ofScope
    .plain('scope is missing because it equals the requested scope.')
    .by(setTokenMembers({ scope: undefined })),
  'token-type-missing': ofType.plain('token_type is missing.').by(setTokenMembers({ token_type: undefined })),
  'token-type-list': ofType
    .hidden('token_type is an array holding Bearer.')
    .by(changeTokenMember('token_type', (type) => [type])),
  'token-member-camel-case': plain('The token is in a member accessToken instead of access_token.').by(
    rewrite('tokenBody', ({ access_token: accessToken, ...rest }) => ({ accessToken, ...rest })),
  ),
  'token-empty': plain('access_token is an empty string.').by(setTokenMembers({ access_token: '' })),
  'scope-twice': having({ keywords: ['scope more than once'] })
    .subtle('scope is given twice, with different values.')
    .by(changeTokenText((json) => json.replace('{', '{"scope":"other",'))),
  'token-answer-array': having({ keywords: ['object'] })
    .plain('The token answer is an array around the object.')
    .by(changeTokenText((json) => `[${json}]`)),
  'token-answer-nested': plain(
    'The token answer is wrapped in a member data, so there is no top-level access_token.',
  ).by(changeTokenText((json) => `{"data":${json}}`)),
  'token-answer-form': having({ keywords: ['json'] })
    .plain('The token answer is form-encoded text instead of JSON.')
    .by(changeTokenText(formText)),
  'token-answer-trailing': having({ keywords: ['json'] })
    .hidden('The token answer is JSON followed by further text, which is not valid JSON.')
    .by(changeTokenText((json) => `${json};`)),
  'later-expires-in-text': fromSecondOn('token/shape', 'expires_in is a string', { expires_in: '3600' }),
  'later-scope-missing': fromSecondOn('token/shape', 'scope is left out', { scope: undefined }),
  'expires-in-text-now-and-then': onlyThird('token/shape', 'expires_in is a string', { expires_in: '3600' }),
});

const types = defectsWith({ keywords: ['token_type'], must: ['token/type'] })({
  'token-type-lower-case': having({ keywords: ['token_type', 'bearer'] })
    .plain('token_type is bearer in lower case instead of Bearer.')
    .by(setTokenMembers({ token_type: 'bearer' })),
  'token-type-other': having({ keywords: ['token_type', 'jwt'] })
    .plain('token_type is JWT instead of Bearer.')
    .by(setTokenMembers({ token_type: 'JWT' })),
  'token-type-space': hidden('token_type is Bearer with a trailing space.').by(
    setTokenMembers({ token_type: 'Bearer ' }),
  ),
  'later-token-type-lower-case': fromSecondOn('token/type', 'token_type is bearer', { token_type: 'bearer' }),
  'token-type-now-and-then': onlyThird('token/type', 'token_type is bearer', { token_type: 'bearer' }),
});

/** An expires_in that is not 3600; `words` complete a sentence about it. */
function wrongValidity(difficulty: Difficulty, value: number, words: string): Row {
  return having({ keywords: ['expires_in', String(value)] })
    [difficulty](`expires_in ${words}, instead of 3600.`)
    .by(setTokenMembers({ expires_in: value }));
}

const validities = defectsWith({ keywords: ['expires_in'], must: ['token/validity'] })({
  'expires-in-milliseconds': wrongValidity('plain', 3_600_000, 'counts milliseconds, 3600000'),
  'expires-in-minutes': wrongValidity('plain', 60, 'counts minutes, 60'),
  'expires-in-two-hours': wrongValidity('plain', 7200, 'claims two hours, 7200'),
  'expires-in-3599': wrongValidity('subtle', 3599, 'is one second too low on a fresh token, 3599'),
  'expires-in-zero': wrongValidity('plain', 0, 'is 0'),
  'expires-in-moment': hidden('expires_in is the time of expiry in seconds since 1970 instead of 3600.').by(
    rewrite('tokenBody', (answer, { expiresAt }) => ({
      ...answer,
      expires_in: Math.floor(expiresAt / 1000),
    })),
  ),
  'token-cached-constant-1800': having({ keywords: ['expires_in', '1800'] })
    .subtle('One cached token is issued repeatedly with a constant expires_in of 1800.')
    .by(tokensOfCaches(0), setTokenMembers({ expires_in: 1800 })),
  'tokens-of-two-caches-constant-1800': having({ keywords: ['expires_in', '1800'], needs: { order: true } })
    .subtle('Two cached tokens are issued in turn, with a constant expires_in of 1800.')
    .by(tokensOfCaches(0, 0), setTokenMembers({ expires_in: 1800 })),
  'expires-in-one-short-every-third-time': having({
    keywords: ['expires_in', '3599'],
    needs: { order: true },
  })
    .subtle('expires_in is 3599 in every third answer, although each gives a new token.')
    .by(onCallNumbers((number) => number % 3 === 1)(setTokenMembers({ expires_in: 3599 }))),
  'later-expires-in-7200': fromSecondOn('token/validity', 'expires_in is 7200', { expires_in: 7200 }),
  'later-expires-in-1800': fromSecondOn('token/validity', 'expires_in is 1800', { expires_in: 1800 }),
  'other-client-expires-in-1800': having({ keywords: ['expires_in', '1800', 'second provider'] })
    .subtle(
      'Each client has its own token lifetime: expires_in is 3600 for the first and 1800 for the second.',
    )
    .by(
      rewrite('tokenBody', (answer, _issued, grant, service) => {
        const isOther = grant.client.clientId === service.otherCredentials.clientId;
        return isOther ? { ...answer, expires_in: 1800 } : answer;
      }),
    ),
  'expires-in-7200-now-and-then': onlyThird('token/validity', 'expires_in is 7200', { expires_in: 7200 }),
  'expires-in-1800-now-and-then': onlyThird('token/validity', 'expires_in is 1800', { expires_in: 1800 }),
});

function separateScopes(separator: string): Change {
  return changeScope((granted) => granted.replaceAll(' ', separator));
}

const scopes = defectsWith({ keywords: ['scope'], must: ['token/scope'] })({
  'scope-two-spaces': subtle('The granted scopes are separated by two spaces.').by(separateScopes('  ')),
  'scope-space-behind': subtle('The granted scopes have a trailing space.').by(
    changeScope((granted) => `${granted} `),
  ),
  'scope-space-in-front': subtle('The granted scopes have a leading space.').by(
    changeScope((granted) => ` ${granted}`),
  ),
  'scope-commas': hidden('The granted scopes are separated by commas.').by(separateScopes(',')),
  'scope-tab': hidden('The granted scopes are separated by a tab.').by(separateScopes('\t')),
  'scope-lines': hidden('The granted scopes are separated by line ends.').by(separateScopes('\n')),
  'scope-quoted': hidden('The granted scopes are in quotation marks.').by(
    changeScope((granted) => `"${granted}"`),
  ),
  'scope-json-text': hidden('The granted scopes are a JSON array in a string.').by(
    changeScope((granted) => JSON.stringify(granted.split(' '))),
  ),
  'scope-backslash': hidden('The granted scopes contain a backslash.').by(
    changeScope((granted) => granted.replaceAll('.', '\\')),
  ),
  'scope-beyond-ascii': hidden('The granted scopes contain a non-ASCII letter.').by(
    changeScope((granted) => granted.replaceAll('a', 'ä')),
  ),
  'scope-empty': hidden('The granted scopes are missing: scope is an empty string.').by(
    setTokenMembers({ scope: '' }),
  ),
  'later-scope-double-space': subtle(
    'The first token answer is correct; from the second on two spaces separate the scopes.',
  ).by(onTokenNumbers((number) => number > 1)(changeTokenMember('scope', (scope) => `${scope}  more`))),
  'scope-doubled-space-now-and-then': onlyThird('token/scope', 'two spaces separate the scopes', {
    scope: 'a  b',
  }),
});

const otherScopes = defectsWith({ needs: { suite: 'certify' } })({
  'token-type-lower-case-for-fewer-scopes': having({ must: ['token/type'], keywords: ['bearer', 'one of'] })
    .subtle('A request for one of the scopes is answered with the token_type bearer.')
    .by(
      onOtherScopes((requested, issued) => requested.length < issued.length)(
        setTokenMembers({ token_type: 'bearer' }),
      ),
    ),
  'scope-array-for-other-order': having({ must: ['token/shape'], keywords: ['scope', 'order'] })
    .hidden('A request for the scopes in another order is answered with an array of scopes.')
    .by(
      onOtherScopes((requested, issued) => requested !== issued && requested.length === issued.length)(
        changeScope((granted) => granted.split(' ')),
      ),
    ),
  'expires-in-1800-for-fewer-scopes': having({ must: ['token/validity'], keywords: ['1800', 'one of'] })
    .subtle('A request for one of the scopes is answered with an expires_in of 1800.')
    .by(
      onOtherScopes((requested, issued) => requested.length < issued.length)(
        setTokenMembers({ expires_in: 1800 }),
      ),
    ),
  'scope-commas-if-named-twice': having({ must: ['token/scope'], keywords: ['scope', 'twice'] })
    .hidden('A request that names a scope twice is answered with scopes that are separated by commas.')
    .by(onOtherScopes((requested, issued) => requested.length > issued.length)(separateScopes(', '))),
});

export const tokenAnswerDefects = [...shape, ...types, ...validities, ...scopes, ...otherScopes];
