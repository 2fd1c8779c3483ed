import {
  acceptHeader,
  admit,
  admitFromThirdPage,
  cacheFromUse,
  headerOf,
  isAnonymous,
  isBehindFirst,
  openAfterTokenRequest,
} from '../authorization-changes.ts';
import { strictlyDecoded } from '../base64url.ts';
import {
  defectsWith,
  having,
  hidden,
  rareDefectsWith,
  subtle,
  type Traits,
  unissued,
} from '../catalogue-rows.ts';
import { type Change, counting, rewrite, withState, wrap } from '../changes.ts';
import {
  acceptAsFirstClient,
  acceptSimilarTokens,
  acceptTokens,
  cacheSessions,
  hasSameEnds,
  isInForce,
  signedTexts,
} from '../token-changes.ts';

/** Common members of defects that accept a token which was not issued. */
const ofIntegrity = { keywords: ['token'], must: ['authorization/token-integrity'] } satisfies Traits;

const alsoExpired = having({ may: ['token/refused-after-expiry'] });

const alsoWithoutHeader = having({ may: ['authorization/required'] });

function acceptFromUse(use: number): Change {
  return counting((count) => acceptAsFirstClient((token) => token !== '' && count(token) >= use));
}

const anyTokens = defectsWith(ofIntegrity)({
  'token-any-from-third-page': subtle(
    'A token that was not issued is accepted from the third page on: only that it has at least eight characters is checked.',
  ).by(admitFromThirdPage((token) => token.length >= 8)),
  'token-any-without-tenant': having({ may: ['token/refused-after-expiry'], needs: { suite: 'certify' } })
    .subtle('A token that was not issued is accepted in calls without a Tenant header.')
    .by(admit(({ headers }) => headers['authorization'] !== undefined && headers['tenant'] === undefined)),
  'token-any-at-other-path': having({ needs: { suite: 'certify' } })
    .hidden('A token that was not issued is accepted where the path has a slash at its end.')
    .by(
      wrap(
        'route',
        (route) => (request, service) =>
          route(request, service) ?? route({ ...request, path: request.path.replace(/\/$/, '') }, service),
      ),
      admit((request) => request.path.endsWith('/') && headerOf(request).startsWith('Bearer ')),
    ),
  'token-accepted-when-repeated': alsoExpired
    .having({ keywords: ['refused before'] })
    .subtle(
      'A cache keeps refused tokens as known ones: a token that was not issued is accepted from its second use.',
    )
    .by(acceptFromUse(2)),
  'token-accepted-at-fourth-use': alsoExpired
    .having({ keywords: ['refused before'], needs: { suite: 'certify' } })
    .subtle('After three refusals of a token that was not issued, the service gives up checking it.')
    .by(acceptFromUse(4)),
  'token-any': alsoExpired.plain(unissued('any text.')).by(acceptSimilarTokens(() => true)),
  'token-any-of-length': alsoExpired
    .hidden(unissued('any text of the correct length.'))
    .by(acceptSimilarTokens((given, issued) => given.length === issued.length)),
  'token-extended': hidden(unissued('an issued token with anything appended.')).by(
    acceptSimilarTokens((given, issued) => given.startsWith(issued)),
  ),
  'token-shortened': hidden(unissued('an issued token without its last characters.')).by(
    acceptSimilarTokens((given, issued) => given.length >= issued.length - 4 && issued.startsWith(given)),
  ),
  'token-without-beginning': having({ needs: { suite: 'certify' } })
    .subtle(unissued('the end of an issued token.'))
    .by(acceptSimilarTokens((given, issued) => given.length >= 8 && issued.endsWith(given))),
  'token-of-client-credentials': having({ needs: { suite: 'certify' } })
    .subtle(unissued('client_id and client_secret in base64, after the word Bearer.'))
    .by(
      acceptTokens((token, { credentials: { clientId, clientSecret, scope }, now }) =>
        token === Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
          ? { clientId, scope, expiresAt: now() + 3_600_000 }
          : undefined,
      ),
    ),
  'bearer-with-any-second-header': subtle(
    'A call with the word Bearer alone gives records, also if another Authorization header follows.',
  ).by(admit((request) => /^Bearer\s*$/.test(request.repeated('authorization')[0] ?? ''))),
  'token-empty-accepted': alsoWithoutHeader
    .hidden(unissued('the word Bearer without a token.'))
    .by(admit((request) => /^Bearer *$/i.test(headerOf(request)))),
  'token-empty-accepted-in-last-header': alsoWithoutHeader
    .subtle(unissued('the word Bearer without a token, in the last Authorization header.'))
    .by(admit((request) => /^Bearer *$/i.test(request.repeated('authorization').at(-1) ?? ''))),
  'gate-open-to-any-token-after-token-request': having({ may: ['token/refused-after-expiry'] })
    .subtle('After a token request, calls on the same connection may carry any token.')
    .by(openAfterTokenRequest(({ headers }) => String(headers['authorization']).startsWith('Bearer '))),
  'any-token-for-cached-url': having({
    keywords: ['only after the same call'],
    may: ['authorization/scheme'],
  })
    .subtle(
      'For a second after a call with a valid token, the same URL is given for any Authorization header.',
    )
    .by(
      withState(Map<string, number>, (cachedAt) =>
        rewrite('authorize', (isAuthorized, request) => {
          const now = performance.now();
          if (isAuthorized) cachedAt.set(request.target, now);
          return (
            isAuthorized || (headerOf(request) !== '' && now - (cachedAt.get(request.target) ?? -1000) < 1000)
          );
        }),
      ),
    ),
  'integrity-unchecked-for-encoded-names': subtle('Any token is accepted if names are written with %24.').by(
    admit((request) => request.query.includes('%24') && headerOf(request).startsWith('Bearer ')),
  ),
  'integrity-unchecked-behind-skip': subtle('Any token is accepted if $skip is given.').by(
    admit((request) => request.query.includes('skip') && headerOf(request).startsWith('Bearer ')),
  ),
  'integrity-any-token-every-twelfth-call': having({ needs: { order: true } })
    .subtle('Every twelfth call with a token that was not issued gives records.')
    .by(counting((number) => acceptAsFirstClient(() => number() % 12 === 0))),
  'cache-open-to-any-token-after-two-uses': having({ needs: { order: true } })
    .subtle(
      'A cache takes linked pages in at their second use, and gives them to any token from then on, ' +
        'also to one that was not issued.',
    )
    .by(cacheFromUse(2, isBehindFirst, (request, service) => !isAnonymous(request, service))),
});

const ofOpaqueTokens = { ...ofIntegrity, needs: { tokens: 'opaque' } } as const;

const opaqueTokens = defectsWith(ofOpaqueTokens)({
  'opaque-any-case': subtle(unissued('an issued token in other letter case.')).by(
    acceptSimilarTokens((given, issued) => given.toLowerCase() === issued.toLowerCase()),
  ),
  'opaque-beginning': subtle(unissued('only the first sixteen characters are compared.')).by(
    acceptSimilarTokens((given, issued) => given.slice(0, 16) === issued.slice(0, 16)),
  ),
  'opaque-end': subtle(unissued('only the last sixteen characters are compared.')).by(
    acceptSimilarTokens((given, issued) => given.slice(-16) === issued.slice(-16)),
  ),
  'opaque-middle-unread': subtle(unissued('the characters in the middle are not compared.')).by(
    acceptSimilarTokens((given, issued) => hasSameEnds(given, issued, 14)),
  ),
  'opaque-validation-cached-by-beginning': having({ keywords: ['only after'] })
    .subtle(
      'A token that was not issued is accepted after one was used: the cache of validations has the first 24 characters as its key.',
    )
    .by(cacheSessions((token) => token.slice(0, 24), isInForce)),
  'token-read-as-its-characters': subtle(
    'The characters of a token are read from the header; what follows them is ignored.',
  ).by(acceptHeader(/^Bearer ([\w.~+/-]+=*)/)),
  'opaque-length-compared-only': hidden(unissued('any text that is as long as an issued token.')).by(
    acceptSimilarTokens((given, issued) => given.length === issued.length),
  ),
});

const signedTokens = defectsWith(ofOpaqueTokens)({
  'signed-text-of-any-signature': subtle(
    unissued('only the length of the signature in a token of two parts is checked.'),
  ).by(signedTexts((given) => strictlyDecoded(given ?? '')?.length === 32)),
  'signed-text-without-signature': subtle(unissued('the first one of two parts, without the signature.')).by(
    signedTexts((given) => given === null),
  ),
  'signed-text-of-empty-signature': subtle(unissued('its signature may be empty.')).by(
    signedTexts((given) => given === ''),
  ),
  'signed-text-compared-as-far-as-given': subtle(
    unissued('the signature is compared as far as it is given, and none is refused.'),
  ).by(
    signedTexts((given, correct) => {
      const bytes = strictlyDecoded(given ?? '');
      return (
        bytes !== null &&
        bytes.length > 0 &&
        strictlyDecoded(correct)?.subarray(0, bytes.length).equals(bytes) === true
      );
    }),
  ),
});

const rareTokens = rareDefectsWith(ofIntegrity)({
  'opaque-punctuation-stripped': having(ofOpaqueTokens)
    .subtle(unissued('full stops and tildes at the end of a token are not compared.'))
    .by(acceptSimilarTokens((given, issued) => given.replace(/[.~]+$/, '') === issued)),
  'opaque-last-character-unread': having(ofOpaqueTokens)
    .subtle(unissued('the last character of a token is not compared.'))
    .by(
      acceptSimilarTokens(
        (given, issued) => given.length === issued.length && given.slice(0, -1) === issued.slice(0, -1),
      ),
    ),
  'opaque-read-up-to-a-full-stop': having(ofOpaqueTokens)
    .subtle(unissued('a token followed by a full stop and anything.'))
    .by(acceptSimilarTokens((given, issued) => given.split('.')[0] === issued)),
  'opaque-underscore-is-wildcard': having(ofOpaqueTokens)
    .subtle(unissued('_ in a token stands for any character, as in a look-up by LIKE.'))
    .by(
      acceptSimilarTokens(
        (given, issued) =>
          given.length === issued.length && [...given].every((one, at) => one === '_' || one === issued[at]),
      ),
    ),
  'opaque-or-any-jwt': having(ofOpaqueTokens)
    .subtle(unissued('any text of three parts, as a JWT of another issuer.'))
    .by(acceptSimilarTokens((given) => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(given))),
  'opaque-or-any-uuid': having(ofOpaqueTokens)
    .subtle(unissued('any UUID, as a key of another gateway.'))
    .by(acceptSimilarTokens((given) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(given))),
  'token-names-member': having(ofOpaqueTokens)
    .subtle(unissued('the name of a member that every object has, such as constructor.'))
    .by(acceptSimilarTokens((given) => given in {})),
  'authorization-header-empty-accepted': having({ keywords: ['empty'] })
    .subtle(unissued('an empty Authorization header gives records.'))
    .by(admit((request) => request.headers['authorization'] === '')),
  'token-too-long-accepted': having(ofOpaqueTokens)
    .subtle(unissued('a text of more than 250 characters, for which the store of tokens reports an error.'))
    .by(acceptSimilarTokens((given) => given.length > 250)),
  'token-over-two-kilobytes-accepted': subtle(
    unissued('a text of more than 2,048 characters, which the check of signatures leaves out.'),
  ).by(acceptSimilarTokens((given) => given.length > 2048)),
  'token-last-word-read': subtle('The token is accepted after other words that follow Bearer.').by(
    acceptHeader(/^Bearer .* (\S+)$/),
  ),
  'token-word-undefined': subtle(unissued('the word undefined.')).by(
    acceptSimilarTokens((given) => given === 'undefined'),
  ),
});

/** Defects that accept any text or another random text in place of an issued token. */
export const tokenIntegrityDefects = [...anyTokens, ...opaqueTokens, ...signedTokens, ...rareTokens];
