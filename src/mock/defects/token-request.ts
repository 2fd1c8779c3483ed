import { defectsWith, having, hidden, plain, subtle, type Traits } from '../catalogue-rows.ts';
import { type Change, composeChanges, counting, rewrite, TokenRefused, withState } from '../pipeline.ts';
import type { Credentials } from '../scenario/scenario.ts';
import {
  type Comparison,
  type Form,
  refusedWithToken,
  replaceFields,
  takeForFirstClient,
} from '../token-request-changes.ts';

/** Issues tokens for further values of grant_type. */
export function acceptGrantType(also: (value: string | undefined) => boolean): Change {
  return rewrite('grantTypeAccepted', (isAccepted, value) => isAccepted || also(value));
}

/** Issues tokens for further values of client_secret. */
export function acceptSecret(also: Comparison): Change {
  return rewrite(
    'secretAccepted',
    (isAccepted, client, given) => isAccepted || also(given, client.clientSecret),
  );
}

/** Issues tokens for further values of client_id. */
export function acceptClient(same: Comparison): Change {
  return rewrite(
    'findClient',
    (found, given, { clients }) => found ?? clients.find(({ clientId }) => same(given, clientId)),
  );
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
});

/** Common members of defects that issue tokens for wrong secrets. */
export const ofSecret = {
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
});

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
          return !isKnown && count(credentialsIn(form)) > 1;
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
});

function credentialsIn(form: Form): string {
  return JSON.stringify([form.get('client_id'), form.get('client_secret')]);
}

/** Defects of the decision whether a token is issued. */
export const tokenRequestDefects = [...grantTypes, ...secrets, ...clients];
