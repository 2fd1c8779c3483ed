import { sha256 } from '../../core/sha256.ts';
import {
  defectsWith,
  having,
  hidden,
  plain,
  rareDefectsWith,
  subtle,
  type Traits,
  wholeSuiteInOrder,
} from '../catalogue-rows.ts';
import { type Change, rewrite, withState, wrap } from '../changes.ts';
import { type ReceivedRequest, TokenRefused } from '../pipeline.ts';
import type { Credentials } from '../scenario/scenario.ts';
import {
  type Comparison,
  type Form,
  hasSameEnds,
  isCondition,
  matches,
  refusedWithToken,
  replaceFields,
  replaceLaterFields,
  withoutMarks,
} from '../token-changes.ts';

function acceptSecret(also: Comparison): Change {
  return rewrite(
    'secretAccepted',
    (isAccepted, client, given) => isAccepted || also(given, client.clientSecret),
  );
}

/** Common members of defects that issue tokens for wrong secrets. */
const ofSecret = {
  keywords: ['secret'],
  must: ['token/secret'],
  may: ['token/provider-isolation'],
} satisfies Traits;

const secrets = defectsWith(ofSecret)({
  'secret-unchecked': plain('A token is issued for any client_secret or none.').by(acceptSecret(() => true)),
  'secret-any': plain('A token is issued for any client_secret, but not without one.').by(
    acceptSecret((given) => given !== undefined),
  ),
  'secret-absent': plain('A token is issued for a request without client_secret.').by(
    acceptSecret((given) => given === undefined),
  ),
  'secret-empty': hidden('A token is issued for an empty client_secret.').by(
    acceptSecret((given) => given === ''),
  ),
  'secret-any-case': subtle('A token is issued for the client_secret in other letter case.').by(
    acceptSecret((given, real) => given?.toLowerCase() === real.toLowerCase()),
  ),
  'secret-beginning': subtle(
    'A token is issued for a client_secret that is only the beginning of the correct one.',
  ).by(acceptSecret((given = '', real) => given.length >= 8 && real.startsWith(given))),
  'secret-extended': subtle('A token is issued for the client_secret with anything appended.').by(
    acceptSecret((given, real) => given?.startsWith(real) === true),
  ),
  'secret-first-eight': subtle(
    'A token is issued for a client_secret of which only the first eight characters are correct.',
  ).by(acceptSecret((given, real) => given?.slice(0, 8) === real.slice(0, 8))),
  'secret-length': subtle('A token is issued for any client_secret of the correct length.').by(
    acceptSecret((given, real) => given?.length === real.length),
  ),
  'secret-remembered': subtle(
    'After one request with the correct secret, a token is issued for any client_secret.',
  ).by(
    withState(Set<Credentials>, (proven) =>
      rewrite('secretAccepted', (isAccepted, client) => {
        if (isAccepted) proven.add(client);
        return proven.has(client);
      }),
    ),
  ),
  'secret-refused-with-token': having({ keywords: ['token'], must: ['token/secret', 'token/client'] })
    .hidden('The error answer for a wrong client_secret or client_id contains an access token.')
    .by(refusedWithToken((error) => error === 'invalid_client')),
  'refused-with-200-and-token': hidden(
    'A wrong client_secret is answered 200 with an error member and a working access token.',
  ).by(
    rewrite('secretAccepted', (isAccepted) => {
      if (isAccepted) return true;
      throw new TokenRefused({ status: 200, error: 'wrong_secret', description: 'the secret is wrong' });
    }),
    refusedWithToken((error) => error === 'wrong_secret'),
  ),
  'secret-checked-once-by-connection': having({ keywords: ['client_secret'], ...wholeSuiteInOrder })
    .subtle('After a valid token request, the secret of its client is not checked on the same connection.')
    .by(
      replaceLaterFields((fields, known) =>
        fields.get('client_id') === known.clientId ? { client_secret: known.clientSecret } : {},
      ),
    ),
  'secret-remembered-by-connection': having({
    keywords: ['without client_secret'],
    may: [],
    ...wholeSuiteInOrder,
  })
    .subtle('After a valid token request, client_secret may be left out on the same connection.')
    .by(
      replaceLaterFields((fields, known) =>
        fields.get('client_id') === known.clientId && !fields.has('client_secret')
          ? { client_secret: known.clientSecret }
          : {},
      ),
    ),
});

function withoutSeparators(text: string | undefined): string | undefined {
  return text?.replaceAll(/[-_ ]/g, '');
}

/** Whether a text matches a regular expression; not if it is none. */
function matchesExpression(text: string, expression = ''): boolean {
  try {
    return expression !== '' && new RegExp(`^(?:${expression})$`, 'u').test(text);
  } catch {
    return false;
  }
}

const rareSecrets = rareDefectsWith(ofSecret)({
  'secret-order-ignored': subtle(
    'A token is issued for the characters of the client_secret in another order, as by a sum of them.',
  ).by(acceptSecret((given = '', real) => [...given].sort().join('') === [...real].sort().join(''))),
  'secret-ends-at-semicolon': hidden(
    'A token is issued for the client_secret with ; and other characters after it.',
  ).by(acceptSecret((given, real) => given?.split(';')[0] === real)),
  'secret-trimmed': subtle('A token is issued for the client_secret with white space around it.').by(
    acceptSecret((given, real) => given?.trim() === real),
  ),
  'secret-accents-ignored': subtle('A token is issued for the client_secret with accents.').by(
    acceptSecret((given, real) => withoutMarks(given) === real),
  ),
  'secret-separators-ignored': subtle(
    'A token is issued for the client_secret without its hyphens and blanks, or with others.',
  ).by(acceptSecret((given, real) => withoutSeparators(given) === withoutSeparators(real))),
  'secret-punctuation-ignored': subtle(
    'A token is issued for the client_secret without the characters that are neither letters nor digits.',
  ).by(
    acceptSecret((given, real) => given?.replaceAll(/[^a-z\d]/gi, '') === real.replaceAll(/[^a-z\d]/gi, '')),
  ),
  'secret-middle-unread': subtle(
    'A token is issued for another client_secret of the same length, beginning and end.',
  ).by(acceptSecret((given = '', real) => hasSameEnds(given, real, 4))),
  'secret-end': subtle('A token is issued for a client_secret that is only the end of the correct one.').by(
    acceptSecret((given = '', real) => given.length >= 8 && real.endsWith(given)),
  ),
  'secret-ends-at-nul': subtle('A token is issued for the client_secret followed by NUL and anything.').by(
    acceptSecret((given, real) => given?.split('\0')[0] === real),
  ),
  'secret-is-pattern': subtle('A token is issued for a pattern that matches the client_secret.').by(
    acceptSecret((given, real) => matches(real, given)),
  ),
  'secret-is-regular-expression': subtle(
    'A token is issued for a regular expression that matches the client_secret.',
  ).by(acceptSecret((given, real) => matchesExpression(real, given))),
  'secret-is-condition': subtle(
    'A token is issued for a client_secret that ends the text of an SQL query and adds a condition.',
  ).by(acceptSecret((given) => isCondition(given))),
  'secret-hash-accepted': subtle('A token is issued for the stored hash of the client_secret.').by(
    acceptSecret((given, real) => given === sha256(real)),
  ),
});

/** Issues a token to a known client whatever its client_secret is, and with its own scope where none is given. */
function secretUnchecked(where: (form: Form, client: Credentials, first: Credentials) => boolean): Change {
  return replaceFields((form, service) => {
    const client = service.steps.findClient(form.get('client_id'), service);
    if (client === undefined || !where(form, client, service.credentials)) return {};
    return { client_secret: client.clientSecret, scope: form.get('scope') ?? client.scope };
  });
}

/** Reads the credentials that `read` finds elsewhere in a token request, with the true secret of their client. */
function readUnchecked(read: (request: ReceivedRequest) => ReadonlyMap<string, string> | null): Change {
  return wrap('form', (form) => (request, service) => {
    const fields = read(request);
    if (fields === null) return form(request, service);
    const client = service.steps.findClient(fields.get('client_id'), service);
    return new Map([
      ...fields,
      ...(client === undefined ? [] : [['client_secret', client.clientSecret] as const]),
    ]);
  });
}

function fieldsBesideBasic(request: ReceivedRequest): ReadonlyMap<string, string> | null {
  const pair = /^Basic (\S+)$/.exec(request.headers['authorization']?.toString() ?? '')?.[1];
  if (pair === undefined) return null;
  const [id = ''] = Buffer.from(pair, 'base64').toString('utf8').split(':');
  return new Map(new URLSearchParams(`${request.body.toString('utf8')}&client_id=${id}`));
}

function fieldsOfJson({ headers, body }: ReceivedRequest): ReadonlyMap<string, string> | null {
  if (headers['content-type'] !== 'application/json') return null;
  return new Map(Object.entries(JSON.parse(body.toString('utf8'))));
}

const uncheckedSecrets = rareDefectsWith({ keywords: ['secret'], must: ['token/secret'] })({
  'secret-array-accepted': subtle('A token is issued if client_secret is an array, whatever it holds.').by(
    secretUnchecked((form) => form.has('client_secret[]')),
  ),
  'secret-unchecked-without-scope': having({ may: ['token/provider-isolation'] })
    .subtle('A token is issued for any client_secret if the request has no scope.')
    .by(secretUnchecked((form) => !form.has('scope'))),
  'secret-unchecked-by-basic': subtle('A token is issued for any password of HTTP Basic.').by(
    readUnchecked(fieldsBesideBasic),
  ),
  'secret-unchecked-in-json': subtle('A token is issued for any client_secret in a JSON body.').by(
    readUnchecked(fieldsOfJson),
  ),
  'secret-unchecked-by-get': subtle('A token is issued for any client_secret in the query of a GET.').by(
    wrap('token', (token) => (request, service) => {
      const body = request.target.split('?')[1] ?? '';
      const isGet = request.method === 'GET';
      return token(isGet ? { ...request, method: 'POST', body: Buffer.from(body) } : request, service);
    }),
    readUnchecked(({ target }) => {
      const [, query] = target.split('?');
      return query === undefined ? null : new Map(new URLSearchParams(query));
    }),
  ),
  'secret-of-second-client-unneeded': subtle(
    'A token is issued to the second client without client_secret, as to a public client.',
  ).by(secretUnchecked((form, client, first) => client !== first && !form.has('client_secret'))),
});

/** Accepts the secret of another client for the clients that `isCrossing` selects. */
function acceptOtherSecret(isCrossing: (client: Credentials, first: Credentials) => boolean): Change {
  return rewrite('secretAccepted', (isAccepted, client, given, service) => {
    const owner = service.clients.find((one) => one.clientSecret === given);
    const isCrossed = owner !== undefined && owner !== client && isCrossing(client, service.credentials);
    return isAccepted || isCrossed;
  });
}

const ofIsolation = {
  keywords: ['provider'],
  must: ['token/provider-isolation'],
  may: ['token/secret'],
} satisfies Traits;

/** Defects of the separation of two providers' credentials. */
const isolation = defectsWith(ofIsolation)({
  'isolation-none': plain(
    'A token is issued for the client_id of one provider with the secret of another.',
  ).by(acceptOtherSecret(() => true)),
  'isolation-first-with-second-secret': subtle(
    'A token is issued for the first provider with the secret of the second provider, but not the reverse.',
  ).by(acceptOtherSecret((client, first) => client === first)),
  'isolation-second-with-first-secret': subtle(
    'A token is issued for the second provider with the secret of the first provider, but not the reverse.',
  ).by(acceptOtherSecret((client, first) => client !== first)),
});

/** Full repeats one of the two requests in every second run. */
const isolationOfRepeated = defectsWith(ofIsolation)({
  'isolation-refused-once': having({ needs: { suite: 'certify' } })
    .subtle(
      'A token is issued for the client_id of one provider with the secret of another when it is requested again.',
    )
    .by(
      withState(Set<Credentials>, (refused) =>
        acceptOtherSecret((client) => {
          const isAgain = refused.has(client);
          refused.add(client);
          return isAgain;
        }),
      ),
    ),
  'isolation-none-on-connection-of-owner': having({ needs: { ...wholeSuiteInOrder.needs, suite: 'certify' } })
    .subtle(
      'The secret of a client is accepted for all clients on a connection over which it obtained a token.',
    )
    .by(
      replaceLaterFields((fields, known, service) => {
        const client = service.steps.findClient(fields.get('client_id'), service);
        return client !== undefined && fields.get('client_secret') === known.clientSecret
          ? { client_secret: client.clientSecret }
          : {};
      }),
    ),
});

/** Defects that issue a token for a wrong client_secret, such as that of another provider. */
export const secretDefects = [
  ...secrets,
  ...rareSecrets,
  ...uncheckedSecrets,
  ...isolation,
  ...isolationOfRepeated,
];
