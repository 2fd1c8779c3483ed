import {
  acceptHeader,
  acceptTokenFrom,
  admit,
  headerOf,
  isBehindFirst,
  queryValue,
} from '../authorization-changes.ts';
import {
  defectsWith,
  having,
  hidden,
  plain,
  type Row,
  rareDefectsWith,
  subtle,
  type Traits,
} from '../catalogue-rows.ts';
import { counting, rewrite, wrap } from '../changes.ts';
import type { ReceivedRequest, Service } from '../pipeline.ts';

/** A gate that checks the beginning of a path only. */
const prefixGuard = {
  guards: (path: string, service: Service) => path.startsWith(`${service.basePath}/v1/`),
  how: 'guards paths that begin with /v1/',
};

const exactGuard = {
  guards: (path: string, { basePath, resources }: Service) =>
    resources.some((one) => basePath + one.path === path),
  how: 'compares the path exactly',
};

/** A gate that compares paths more strictly than the router behind it, so that some spellings are not guarded. */
function laxRouter(
  begin: typeof hidden,
): (words: string, tidy: (path: string) => string, guard?: typeof exactGuard) => Row {
  return (words, tidy, { guards, how } = exactGuard) =>
    begin(
      `The gate ${how} but the router ${words}, so a path in that spelling gives records without an Authorization header.`,
    ).by(
      wrap('route', (route) => (request, service) => {
        const exact = route(request, service);
        return exact ?? route({ ...request, path: tidy(request.path) }, service);
      }),
      wrap('guarded', (guarded) => (request, service) => {
        // Only paths that the lax router maps to a list are unguarded; other unknown paths stay guarded.
        const isMisread =
          !guards(request.path, service) && service.steps.route(request, service) !== undefined;
        return guarded(request, service) && !isMisread;
      }),
    );
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function pathnameOf(path: string): string {
  return new URL(path.replace(/^\/+/, '/'), 'http://provider.example').pathname;
}

function resolveDotSegments(path: string): string {
  return decodePath(pathnameOf(path));
}

const hiddenRouter = laxRouter(hidden);

const subtleRouter = laxRouter(subtle);

const routers = defectsWith({ keywords: ['authorization'], must: ['authorization/required'] })({
  'gate-trailing-slash': hiddenRouter('ignores a trailing slash', (path) => path.replace(/\/+$/, '')),
  'gate-double-slash': hiddenRouter('merges double slashes', (path) => path.replace(/\/{2,}/g, '/')),
  'gate-dot-segments-only': hiddenRouter('resolves dot segments and decodes nothing', pathnameOf),
  'gate-letter-case': hiddenRouter('ignores letter case', (path) => path.toLowerCase()),
  'gate-encoded-letters': hiddenRouter('decodes percent-encoded letters', decodePath),
  'gate-dot-segments': hiddenRouter('resolves dot segments', resolveDotSegments),
  'gate-prefix-letter-case': hiddenRouter('ignores letter case', (path) => path.toLowerCase(), prefixGuard),
  'gate-prefix-encoded-letters': hiddenRouter('decodes percent-encoded letters', decodePath, prefixGuard),
  'gate-public-prefix': hiddenRouter('resolves dot segments', resolveDotSegments, {
    guards: (path) => !path.startsWith('/connect/'),
    how: 'does not guard paths that begin with /connect/',
  }),
});

const rareRouters = rareDefectsWith({ keywords: ['authorization'], must: ['authorization/required'] })({
  'gate-letter-case-of-one-segment': subtleRouter('ignores the letter case of the last segment', (path) =>
    path.replace(/[^/]+$/, (last) => last.toLowerCase()),
  ),
  'gate-format-suffix': subtleRouter('accepts the suffix .json', (path) => path.replace(/\.json$/, '')),
  'gate-current-directory': subtleRouter('removes one dot segment that names the same directory', (path) =>
    path.replace('/./', '/'),
  ),
  'gate-current-directory-at-the-end': subtleRouter('removes a dot segment at the end', (path) =>
    path.replace(/\/\.\/$/, ''),
  ),
  'gate-twice-encoded-letters': hiddenRouter('decodes percent-encoded letters twice', (path) =>
    path.includes('%25') ? decodePath(decodePath(path)) : path,
  ),
  'gate-encoded-parent-directory': subtleRouter('resolves x/%2e%2e to nothing', (path) =>
    path.replace('/x/%2e%2e/', '/'),
  ),
  'gate-letter-case-with-slash': subtleRouter('ignores letter case where a slash is at the end', (path) =>
    path.endsWith('/') ? path.slice(0, -1).toLowerCase() : path,
  ),
  'gate-encoded-slash-at-the-end': subtleRouter('ignores an encoded slash at the end', (path) =>
    path.replace(/%2f$/i, ''),
  ),
  'gate-first-segment-encoded': subtleRouter('decodes the first segment', (path) =>
    path.replace(/^\/[^/]+/, decodeURIComponent),
  ),
});

/** Common members of defects that accept the token in another place or under another scheme. */
const ofScheme = { keywords: ['token'], must: ['authorization/scheme'] } satisfies Traits;

const schemes = defectsWith(ofScheme)({
  'scheme-any': plain('The token is accepted under any scheme.').by(acceptHeader(/^\S+ +(\S+)$/)),
  'scheme-none': plain('The token is accepted in the Authorization header without a scheme.').by(
    acceptHeader(/^(\S+)$/),
  ),
  'scheme-basic': hidden('The token is accepted under the scheme Basic.').by(acceptHeader(/^Basic (\S+)$/)),
  'scheme-token': hidden('The token is accepted under the scheme Token.').by(acceptHeader(/^Token (\S+)$/)),
  'scheme-of-six-letters': hidden(
    'The token is accepted after any seven characters at the start of the Authorization header.',
  ).by(acceptHeader(/^.{7}(\S+)$/)),
  'scheme-of-three-letters': subtle('The token is accepted under a scheme of three letters.').by(
    acceptHeader(/^[A-Z]{3} (\S+)$/),
  ),
  'scheme-prefix-trimmed': hidden('The token is accepted with or without the word Bearer before it.').by(
    acceptTokenFrom((request) => headerOf(request).replace(/^Bearer /, '')),
  ),
  'scheme-in-second-header': subtle('The token is accepted in a second Authorization header.').by(
    acceptTokenFrom((request) => request.repeated('authorization')[1]),
  ),
  'scheme-in-joined-headers': subtle('The token is accepted in two Authorization headers joined.').by(
    acceptTokenFrom((request) => {
      const headers = request.repeated('authorization');
      return headers.length > 1 ? /^Bearer (\S+)$/.exec(headers.join(' '))?.[1] : undefined;
    }),
  ),
  'scheme-followed-by-colon': having({ needs: { suite: 'certify' } })
    .subtle('The token is accepted after "Bearer:" and a space.')
    .by(acceptHeader(/^Bearer: (\S+)$/)),
  'scheme-glued': subtle('The token is accepted if nothing separates it from the word Bearer.').by(
    acceptHeader(/^Bearer(\S+)$/),
  ),
  'token-in-query': hidden('The token is accepted in the query as access_token.').by(
    acceptTokenFrom((request) => queryValue(request, 'access_token')),
  ),
  'scheme-before-quoted-token': having({ needs: { suite: 'certify' } })
    .subtle('The token is accepted in quotation marks.')
    .by(acceptHeader(/^Bearer "(\S+)"$/)),
  'token-in-query-beside-header': having({ needs: { suite: 'certify' } })
    .subtle(
      'The token is accepted in the query as access_token if there is an Authorization header with another.',
    )
    .by(rewrite('bearer', (token, request) => token && (queryValue(request, 'access_token') ?? token))),
  'scheme-none-with-count': having({ needs: { suite: 'certify' } })
    .subtle('With $count=true the token is accepted without a scheme.')
    .by(acceptHeader(/^(\S+)$/, (request) => queryValue(request, '$count') === 'true')),
  'token-in-cookie': hidden('The token is accepted in a cookie.').by(
    acceptTokenFrom((request) => /(?:^|; *)[^=;]+=([^;]+)/.exec(headerOf(request, 'cookie'))?.[1]),
  ),
  'token-in-form': subtle('The token is accepted in a form-encoded body as access_token.').by(
    acceptTokenFrom(
      ({ body }) => new URLSearchParams(body.toString('utf8')).get('access_token') ?? undefined,
    ),
  ),
});

/** The user name and the password of HTTP Basic. */
function basicOf(request: ReceivedRequest): readonly string[] {
  const pair = /^Basic (\S+)$/.exec(headerOf(request))?.[1] ?? '';
  return Buffer.from(pair, 'base64').toString('utf8').split(':');
}

/** Tokens accepted in other places than the Authorization header, and under other schemes than Bearer. */
const locations = defectsWith(ofScheme)({
  'scheme-ends-in-bearer': subtle('The token is accepted under any scheme that ends in Bearer.').by(
    acceptHeader(/Bearer (\S+)$/),
  ),
  'scheme-begins-with-bearer': subtle('The token is accepted under any scheme that begins with Bearer.').by(
    acceptHeader(/^Bearer\S* (\S+)$/),
  ),
  'token-in-query-jwt': subtle('The token is accepted in the query as jwt.').by(
    acceptTokenFrom((request) => queryValue(request, 'jwt')),
  ),
  'token-in-query-sid': having({ needs: { suite: 'certify' } })
    .subtle('The token is accepted in the query as sid.')
    .by(acceptTokenFrom((request) => queryValue(request, 'sid'))),
  'token-in-query-authorization': having({ needs: { suite: 'certify' } })
    .subtle('The token is accepted in the query as authorization, without a scheme.')
    .by(acceptTokenFrom((request) => queryValue(request, 'authorization'))),
  'token-in-x-session-token': having({ needs: { suite: 'certify' } })
    .subtle('The token is accepted in the header X-Session-Token.')
    .by(acceptTokenFrom((request) => headerOf(request, 'x-session-token') || undefined)),
  'token-in-json-body': having({ needs: { suite: 'certify' } })
    .subtle('The token is accepted in a JSON body as access_token.')
    .by(acceptTokenFrom(({ body }) => /"access_token":"([^"]+)"/.exec(body.toString('utf8'))?.[1])),
  'token-in-websocket-protocol': having({ needs: { suite: 'certify' } })
    .hidden('The token is accepted in the header Sec-WebSocket-Protocol.')
    .by(
      acceptTokenFrom((request) => headerOf(request, 'sec-websocket-protocol').match(/^bearer, (\S+)$/)?.[1]),
    ),
  'scheme-beginning': having({ needs: { suite: 'certify' } })
    .subtle('The token is accepted under a scheme that is only the beginning of Bearer.')
    .by(acceptHeader(/^B(?:e(?:a(?:re?)?)?)? (\S+)$/)),
  'token-in-basic-name': subtle('The token is accepted as the user name of HTTP Basic.').by(
    acceptTokenFrom((request) => basicOf(request)[0]),
  ),
  'token-in-api-key': hidden('The token is accepted in the header X-API-Key.').by(
    acceptTokenFrom((request) => headerOf(request, 'x-api-key') || undefined),
  ),
  'scheme-any-with-count': subtle('The token is accepted under any scheme if $count is given.').by(
    acceptHeader(/^\S+ +(\S+)$/, ({ query }) => query.includes('count')),
  ),
  'scheme-any-every-third-call': subtle(
    'Every third call with the token under another scheme than Bearer gives records.',
  ).by(counting((number) => acceptHeader(/^(?!Bearer )\S+ +(\S+)$/, () => number() % 3 === 0))),
  'token-in-query-of-linked-pages': subtle(
    'The token is accepted in the query of every page except the first.',
  ).by(acceptTokenFrom((request) => queryValue(request, 'access_token'), isBehindFirst)),
});

const rareSchemes = rareDefectsWith(ofScheme)({
  'scheme-oauth': subtle('The token is accepted under the scheme OAuth.').by(acceptHeader(/^OAuth (\S+)$/)),
  'scheme-api-key': subtle('The token is accepted under the scheme ApiKey.').by(
    acceptHeader(/^ApiKey (\S+)$/i),
  ),
  'token-in-basic-password': subtle('The token is accepted as the password of HTTP Basic.').by(
    acceptTokenFrom((request) => basicOf(request)[1]),
  ),
  'client-credentials-open-the-list': having({ keywords: ['basic'] })
    .subtle(
      'The list is given to a client that shows client_id and client_secret by HTTP Basic, without a token.',
    )
    .by(
      admit((request, { credentials: { clientId, clientSecret } }) => {
        const pair = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
        return headerOf(request) === `Basic ${pair}`;
      }),
    ),
});

/** Defects that give records for an unusual spelling of the path, another scheme than Bearer, or a token in another place. */
export const schemeAndPathDefects = [...routers, ...rareRouters, ...schemes, ...locations, ...rareSchemes];
