import type { DefectDraft } from '../defect.ts';
import { headerOf, tokenLocationDefect } from './authorization-token-location.ts';

/** Defects that accept the token under another scheme. */
export const schemeDefects: readonly DefectDraft[] = [
  tokenLocationDefect(
    'scheme-any',
    'plain',
    'under any scheme',
    (request) => /^\S+ +(\S+)$/.exec(headerOf(request))?.[1],
  ),
  tokenLocationDefect('scheme-none', 'plain', 'in the Authorization header without a scheme', (request) => {
    return /^\S+$/.exec(headerOf(request))?.[0];
  }),
  tokenLocationDefect(
    'scheme-basic',
    'hidden',
    'under the scheme Basic',
    (request) => /^Basic (\S+)$/.exec(headerOf(request))?.[1],
  ),
  tokenLocationDefect(
    'scheme-token',
    'hidden',
    'under the scheme Token',
    (request) => /^Token (\S+)$/.exec(headerOf(request))?.[1],
  ),
  tokenLocationDefect(
    'scheme-of-six-letters',
    'hidden',
    'after any seven characters at the start of the Authorization header',
    (request) => /^.{7}(\S+)$/.exec(headerOf(request))?.[1],
  ),
  tokenLocationDefect(
    'scheme-of-three-letters',
    'subtle',
    'under a scheme of three letters',
    (request) => /^[A-Z]{3} (\S+)$/.exec(headerOf(request))?.[1],
  ),
  tokenLocationDefect(
    'scheme-prefix-trimmed',
    'hidden',
    'with or without the word Bearer before it',
    (request) => {
      return headerOf(request).replace(/^Bearer /, '');
    },
  ),
  tokenLocationDefect('scheme-in-second-header', 'subtle', 'in a second Authorization header', (request) => {
    return request.repeated('authorization')[1];
  }),
  tokenLocationDefect(
    'scheme-in-joined-headers',
    'subtle',
    'in two Authorization headers joined',
    (request) => {
      const joined = request.repeated('authorization').join(' ');
      return request.repeated('authorization').length > 1 ? /^Bearer (\S+)$/.exec(joined)?.[1] : undefined;
    },
  ),
  tokenLocationDefect('scheme-glued', 'subtle', 'if nothing separates it from the word Bearer', (request) => {
    return /^Bearer(\S+)$/.exec(headerOf(request))?.[1];
  }),
  tokenLocationDefect('token-in-query', 'hidden', 'in the query as access_token', (request) => {
    return new URLSearchParams(request.query).get('access_token') ?? undefined;
  }),
  tokenLocationDefect('token-in-cookie', 'hidden', 'in a cookie', (request) => {
    return /(?:^|; *)[^=;]+=([^;]+)/.exec(request.headers['cookie']?.toString() ?? '')?.[1];
  }),
  tokenLocationDefect('token-in-form', 'subtle', 'in a form-encoded body as access_token', (request) => {
    return new URLSearchParams(request.body.toString('utf8')).get('access_token') ?? undefined;
  }),
];
