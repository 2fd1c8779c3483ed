import { type Defect, defectsOf } from '../defect.ts';
import { headerOf, tokenLocationDefect } from './authorization-token-location.ts';

/** Defects that accept the token under another scheme. */
export const schemeDefects: readonly Defect[] = defectsOf({
  'scheme-any': tokenLocationDefect(
    'plain',
    'under any scheme',
    (request) => /^\S+ +(\S+)$/.exec(headerOf(request))?.[1],
  ),
  'scheme-none': tokenLocationDefect('plain', 'in the Authorization header without a scheme', (request) => {
    return /^\S+$/.exec(headerOf(request))?.[0];
  }),
  'scheme-basic': tokenLocationDefect(
    'hidden',
    'under the scheme Basic',
    (request) => /^Basic (\S+)$/.exec(headerOf(request))?.[1],
  ),
  'scheme-token': tokenLocationDefect(
    'hidden',
    'under the scheme Token',
    (request) => /^Token (\S+)$/.exec(headerOf(request))?.[1],
  ),
  'scheme-of-six-letters': tokenLocationDefect(
    'hidden',
    'after any seven characters at the start of the Authorization header',
    (request) => /^.{7}(\S+)$/.exec(headerOf(request))?.[1],
  ),
  'scheme-of-three-letters': tokenLocationDefect(
    'subtle',
    'under a scheme of three letters',
    (request) => /^[A-Z]{3} (\S+)$/.exec(headerOf(request))?.[1],
  ),
  'scheme-prefix-trimmed': tokenLocationDefect(
    'hidden',
    'with or without the word Bearer before it',
    (request) => {
      return headerOf(request).replace(/^Bearer /, '');
    },
  ),
  'scheme-in-second-header': tokenLocationDefect('subtle', 'in a second Authorization header', (request) => {
    return request.repeated('authorization')[1];
  }),
  'scheme-in-joined-headers': tokenLocationDefect(
    'subtle',
    'in two Authorization headers joined',
    (request) => {
      const joined = request.repeated('authorization').join(' ');
      return request.repeated('authorization').length > 1 ? /^Bearer (\S+)$/.exec(joined)?.[1] : undefined;
    },
  ),
  'scheme-glued': tokenLocationDefect('subtle', 'if nothing separates it from the word Bearer', (request) => {
    return /^Bearer(\S+)$/.exec(headerOf(request))?.[1];
  }),
  'token-in-query': tokenLocationDefect('hidden', 'in the query as access_token', (request) => {
    return new URLSearchParams(request.query).get('access_token') ?? undefined;
  }),
  'token-in-cookie': tokenLocationDefect('hidden', 'in a cookie', (request) => {
    return /(?:^|; *)[^=;]+=([^;]+)/.exec(request.headers['cookie']?.toString() ?? '')?.[1];
  }),
  'token-in-form': tokenLocationDefect('subtle', 'in a form-encoded body as access_token', (request) => {
    return new URLSearchParams(request.body.toString('utf8')).get('access_token') ?? undefined;
  }),
});
