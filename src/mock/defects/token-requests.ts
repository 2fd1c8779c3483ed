import {
  defectsWith,
  having,
  hidden,
  plain,
  rareDefectsWith,
  subtle,
  wholeSuiteInOrder,
} from '../catalogue-rows.ts';
import { type Change, composeChanges, counting, rewrite, withState } from '../changes.ts';
import type { Credentials } from '../scenario/scenario.ts';
import {
  type Comparison,
  isCondition,
  matches,
  refusedWithToken,
  replaceFields,
  replaceLaterFields,
  takeForFirstClient,
  withoutMarks,
} from '../token-changes.ts';

function acceptGrantType(also: (value: string | undefined) => boolean): Change {
  return rewrite('grantTypeAccepted', (isAccepted, value) => isAccepted || also(value));
}

const grantTypes = defectsWith({ keywords: ['grant_type'], must: ['token/grant-type'] })({
  'grant-type-any': plain('A token is issued for any grant_type.').by(
    acceptGrantType((value) => value !== undefined),
  ),
  'grant-type-unread': plain('A token is issued with any grant_type and without one.').by(
    acceptGrantType(() => true),
  ),
  'grant-type-missing': plain('A token is issued if grant_type is missing.').by(
    acceptGrantType((value) => value === undefined),
  ),
  'grant-type-empty': hidden('A token is issued if grant_type is empty.').by(
    acceptGrantType((value) => value === ''),
  ),
  'grant-type-password': hidden('A token is issued for the grant_type password.').by(
    acceptGrantType((value) => value === 'password'),
  ),
  'grant-type-authorization-code': hidden(
    'A token is issued for the grant_type authorization_code without any code.',
  ).by(acceptGrantType((value) => value === 'authorization_code')),
  'grant-type-refresh-token': hidden(
    'A token is issued for the grant_type refresh_token without any refresh token.',
  ).by(acceptGrantType((value) => value === 'refresh_token')),
  'grant-type-prefix': subtle(
    'A token is issued for a grant_type that only begins with client_credentials.',
  ).by(acceptGrantType((value) => value?.startsWith('client_credentials') === true)),
  'grant-type-shortened': subtle(
    'A token is issued for a grant_type that is only the beginning of client_credentials.',
  ).by(acceptGrantType((value = '') => value.length >= 6 && 'client_credentials'.startsWith(value))),
  'grant-type-accepted-when-repeated': having({ keywords: ['refused before'] })
    .subtle('A wrong grant_type is refused once: when it is sent again, a token is issued.')
    .by(counting((count) => acceptGrantType((value) => count(value) > 1))),
  'grant-type-refused-with-token': hidden(
    'The error answer for a wrong grant_type contains an access token.',
  ).by(refusedWithToken((error) => error === 'unsupported_grant_type')),
  'grant-type-remembered-by-connection': having({ keywords: ['without grant_type'], ...wholeSuiteInOrder })
    .subtle('After a valid token request, grant_type may be left out on the same connection.')
    .by(
      replaceLaterFields((fields) => (fields.has('grant_type') ? {} : { grant_type: 'client_credentials' })),
    ),
});

/** Issues a token for another grant type if a parameter of that grant is there. */
function completeGrant(grantType: string, parameter: string): Change {
  return replaceFields((form) =>
    form.get('grant_type') === grantType && form.has(parameter) ? { grant_type: 'client_credentials' } : {},
  );
}

const rareGrantTypes = rareDefectsWith({ keywords: ['grant_type'], must: ['token/grant-type'] })({
  'grant-type-password-of-anybody': having({ keywords: ['grant_type', 'username'] })
    .subtle('A token is issued for the grant_type password with any username.')
    .by(completeGrant('password', 'username')),
  'grant-type-any-code': having({ keywords: ['grant_type', 'code'] })
    .subtle('A token is issued for the grant_type authorization_code with any code.')
    .by(completeGrant('authorization_code', 'code')),
  'grant-type-implicit': subtle('A token is issued for the grant_type implicit.').by(
    acceptGrantType((value) => value === 'implicit'),
  ),
  'grant-type-token-exchange': subtle('A token is issued for the grant_type of token exchange.').by(
    acceptGrantType((value) => value?.endsWith(':token-exchange') === true),
  ),
  'grant-type-one-of-several': subtle('A token is issued if client_credentials is one of several words.').by(
    acceptGrantType(
      (value = '') =>
        value.split(' ').includes('client_credentials') && value.trim() !== 'client_credentials',
    ),
  ),
  'grant-type-full-name': having({ keywords: ['grant_type', 'urn:'] })
    .hidden('A token is issued for client_credentials in the form of a URN, as other grant types have it.')
    .by(acceptGrantType((value) => value === 'urn:ietf:params:oauth:grant-type:client_credentials')),
  'grant-type-like-underscore': subtle(
    'A token is issued for any character in place of the _ in the grant_type, as by LIKE in SQL.',
  ).by(acceptGrantType((value = '') => /^client.credentials$/.test(value))),
});

function acceptClient(same: Comparison): Change {
  return rewrite(
    'findClient',
    (found, given, { clients }) => found ?? clients.find(({ clientId }) => same(given, clientId)),
  );
}

function identityOf({ clientId, clientSecret }: Credentials): Readonly<Record<string, string>> {
  return { client_id: clientId, client_secret: clientSecret };
}

const clients = defectsWith({ keywords: ['client_id'], must: ['token/client'] })({
  'client-found-by-secret': plain(
    'The client is looked up by its secret alone, so a token is issued for any client_id.',
  ).by(
    replaceFields((form, service) => {
      const known = service.steps.findClient(form.get('client_id'), service);
      const owner = service.clients.find((client) => client.clientSecret === form.get('client_secret'));
      // A known client_id still needs its own secret: that is another requirement.
      return known !== undefined || owner === undefined ? {} : { client_id: owner.clientId };
    }),
  ),
  'client-registered-when-refused': having({ keywords: ['refused before'] })
    .subtle('An unknown client is refused once: when it asks again, it gets a token.')
    .by(
      counting((count) =>
        takeForFirstClient((form, service) => {
          const isKnown = service.steps.findClient(form.get('client_id'), service) !== undefined;
          return !isKnown && count(JSON.stringify([form.get('client_id'), form.get('client_secret')])) > 1;
        }),
      ),
    ),
  'client-missing': plain('A token is issued for the correct secret without a client_id.').by(
    acceptClient((given) => given === undefined),
  ),
  'client-empty': hidden('A token is issued for the correct secret with an empty client_id.').by(
    acceptClient((given) => given === ''),
  ),
  'client-any-case': subtle('A token is issued for the client_id in other letter case.').by(
    acceptClient((given, real) => given?.toLowerCase() === real.toLowerCase()),
  ),
  'client-beginning': subtle(
    'A token is issued for a client_id that is only the beginning of an issued one.',
  ).by(
    acceptClient(
      (given, real) => given !== undefined && given.length >= real.length - 4 && real.startsWith(given),
    ),
  ),
  'client-extended': subtle('A token is issued for an issued client_id with anything appended.').by(
    acceptClient((given, real) => given?.startsWith(real) === true),
  ),
  'client-unknown-public': plain(
    'An unknown client_id is treated as a public client, and a token is issued for any secret.',
  ).by(
    withState(Set<Credentials>, (strangers) =>
      composeChanges(
        rewrite('findClient', (known, clientId, service) => {
          if (known !== undefined || clientId === undefined || clientId === '') return known;
          const stranger = { clientId, clientSecret: '', scope: service.credentials.scope };
          strangers.add(stranger);
          return stranger;
        }),
        rewrite('secretAccepted', (isAccepted, client) => strangers.delete(client) || isAccepted),
      ),
    ),
  ),
  'client-known-by-connection': having({ ...wholeSuiteInOrder })
    .subtle('After a valid token request, its client is used for unknown clients on the same connection.')
    .by(
      replaceLaterFields((fields, known, service) =>
        service.steps.findClient(fields.get('client_id'), service) === undefined ? identityOf(known) : {},
      ),
    ),
  'client-id-remembered-by-connection': having({ keywords: ['without client_id'], ...wholeSuiteInOrder })
    .subtle('After a valid token request, client_id may be left out on the same connection.')
    .by(
      replaceLaterFields((fields, known) => (fields.has('client_id') ? {} : { client_id: known.clientId })),
    ),
  'client-remembered-by-connection': having({
    keywords: ['empty client_id'],
    needs: { suite: 'certify', order: true },
  })
    .subtle('After a valid token request, client_id and client_secret may be empty on the same connection.')
    .by(
      replaceLaterFields((fields, known) =>
        fields.get('client_id') === '' && fields.get('client_secret') === '' ? identityOf(known) : {},
      ),
    ),
});

/** Takes clients without a client_id and a client_secret for the first one. */
function takeNameless(given: string | undefined): Change {
  return takeForFirstClient((form) => form.get('client_id') === given && form.get('client_secret') === given);
}

const rareClients = rareDefectsWith({ keywords: ['client_id'], must: ['token/client'] })({
  'client-trimmed': subtle('A token is issued for an issued client_id with white space around it.').by(
    acceptClient((given, real) => given?.trim() === real),
  ),
  'client-first-of-a-list': subtle(
    'A token is issued for several client_ids that are separated by commas, the first of which was issued.',
  ).by(acceptClient((given, real) => given?.includes(',') === true && given.split(',')[0] === real)),
  'client-is-pattern': subtle('A token is issued for a pattern that matches an issued client_id.').by(
    acceptClient((given, real) => matches(real, given)),
  ),
  'client-is-condition': subtle(
    'A token is issued for a client_id that ends the text of an SQL query and adds a condition.',
  ).by(acceptClient((given) => isCondition(given))),
  'client-like-underscore': subtle(
    'A token is issued for an issued client_id with an underscore in place of a character, as by LIKE in SQL.',
  ).by(
    acceptClient(
      (given = '', real) =>
        given.length === real.length &&
        [...given].every((letter, index) => letter === '_' || letter === real[index]),
    ),
  ),
  'client-accents-ignored': subtle('A token is issued for an issued client_id with accents.').by(
    acceptClient((given, real) => withoutMarks(given) === real),
  ),
  'client-unknown-without-secret': subtle(
    'A token is issued for an unknown client_id without a client_secret, as for a public client.',
  ).by(
    takeForFirstClient((form, service) => {
      const id = form.get('client_id') ?? '';
      const isKnown = service.steps.findClient(form.get('client_id'), service) !== undefined;
      return !isKnown && id !== '' && !form.has('client_secret');
    }),
  ),
  'client-name-of-every-object': subtle(
    'Clients are members of an object of JavaScript, so a token is issued for constructor without a client_secret.',
  ).by(takeForFirstClient((form) => (form.get('client_id') ?? '') in {} && !form.has('client_secret'))),
  'client-unknown-with-secret-of-second': subtle(
    "A token is issued for an unknown client_id with the second provider's client_secret.",
  ).by(
    takeForFirstClient((form, service) => {
      const isKnown = service.steps.findClient(form.get('client_id'), service) !== undefined;
      return !isKnown && form.get('client_secret') === service.clients[1]?.clientSecret;
    }),
  ),
  'client-joined-with-secret': subtle(
    'client_id and client_secret are compared as one text, so that a character may move from one to the other.',
  ).by(
    takeForFirstClient((form, { credentials: { clientId, clientSecret } }) => {
      const id = form.get('client_id') ?? '';
      return id !== clientId && id + (form.get('client_secret') ?? '') === clientId + clientSecret;
    }),
  ),
  'client-and-secret-empty': having({ may: ['token/secret'] })
    .subtle('A token is issued when client_id and client_secret are both empty.')
    .by(takeNameless('')),
  'client-and-secret-missing': having({ may: ['token/secret'] })
    .subtle('A token is issued when client_id and client_secret are both missing.')
    .by(takeNameless(undefined)),
});

/** Defects that issue a token for a wrong grant_type or client_id. */
export const tokenRequestDefects = [...grantTypes, ...rareGrantTypes, ...clients, ...rareClients];
