import { createHmac, randomBytes } from 'node:crypto';
import { problem } from '../conforming/gate.ts';
import { refuseToken } from '../conforming/token.ts';
import { isCountFalse } from '../page-tests.ts';
import { type Session, wrap } from '../pipeline.ts';
import { forSecondClient, onPages, refusePages } from '../step-changes.ts';
import { type Variant, variant, variantsOf } from '../variant.ts';

const ENCODED_HEADER = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url');

/** Variants that look like the breaches which rare kinds of wrong requests show. */
export const rareRequestVariants: readonly Variant[] = variantsOf({
  'jwt-hmac-strong-key': variant(
    'Tokens are JWTs without kid, signed by HMAC with a key that begins with the word secret.',
  ).by((steps) => {
    const key = `secret-${randomBytes(32).toString('base64url')}`;
    const signatureOf = (text: string): string => createHmac('sha256', key).update(text).digest('base64url');
    const sessions = new Map<string, Session>();
    return {
      ...steps,
      issue: async (grant, service) => {
        const issued = await steps.issue(grant, service);
        const { clientId } = grant.client;
        const claims = {
          sub: clientId,
          exp: Math.floor(issued.expiresAt / 1000),
          jti: issued.token.slice(-20),
        };
        const text = `${ENCODED_HEADER}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
        const token = `${text}.${signatureOf(text)}`;
        sessions.set(text, { clientId, scope: grant.scope, expiresAt: issued.expiresAt });
        return { ...issued, token };
      },
      resolve: async (token) => {
        const end = token.lastIndexOf('.');
        const text = token.slice(0, end);
        return signatureOf(text) === token.slice(end + 1) ? sessions.get(text) : undefined;
      },
    };
  }),
  'second-client-has-own-list': variant(
    'The second client is given the first 40 records only, as those of its own organization.',
  ).by(forSecondClient(wrap('total', () => () => 40))),
  'second-client-may-not-list': variant(
    'The second client is answered 403: its integration has no access to the list.',
  ).by(forSecondClient(refusePages(403, 'no access to this list', () => true))),
  'paths-lenient-but-guarded': variant(
    'Paths are read without letter case, suffix and slashes at their end, after the token was checked.',
  ).by(
    wrap(
      'route',
      (route) => (request, service) =>
        route(request, service) ??
        route({ ...request, path: request.path.toLowerCase().replace(/(?:\.json|\/)+$/, '') }, service),
    ),
  ),
  'list-described-in-public': variant(
    'The list path with the suffix .json gives a public description of the list and of an item.',
  ).by(
    wrap('receive', (receive) => async (request, service) => {
      const described = service.resources.find(
        ({ path }) => request.path === `${service.basePath}${path}.json`,
      );
      if (described === undefined) return receive(request, service);
      const properties = {
        id: { type: 'string' },
        displayName: { type: 'string' },
        agent: { type: 'string' },
      };
      return {
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ title: described.path, items: { type: 'object', properties } }),
      };
    }),
  ),
  'token-odd-characters-500': variant(
    'A token request with control characters, or with brackets in the name of a field, is answered 500.',
  ).by(
    wrap('form', (form) => (request, service) => {
      const fields = form(request, service);
      for (const [name, value] of fields)
        if (/\p{Cc}/u.test(value) || name.includes('['))
          refuseToken(500, 'server_error', 'unexpected character');
      return fields;
    }),
  ),
  'skip-alone-refused': variant(
    '$skip without $count=true and $pagesize, and $skip at or past the end, are answered 400.',
  ).by(
    wrap('list', (list) => (request, resource, service) => {
      const parameters = service.steps.parameters(request, service);
      const givenAs = (name: string): string | undefined =>
        parameters.find((one) => one.name === name)?.value;
      const skip = givenAs('$skip');
      const isAlone = givenAs('$count') !== 'true' || givenAs('$pagesize') === undefined;
      const isRefused = skip !== undefined && skip !== '0' && (isAlone || Number(skip) >= resource.records);
      return isRefused
        ? problem(400, '$skip is for the pages of a counted list')
        : list(request, resource, service);
    }),
  ),
  'count-given-when-false': variant('With $count=false, count is given but no link.').by(
    onPages(isCountFalse)(wrap('count', () => (page) => page.total)),
  ),
});
