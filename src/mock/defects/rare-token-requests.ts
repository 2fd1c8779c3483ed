import { sha256 } from '../../core/sha256.ts';
import { defectsWith, having, subtle } from '../catalogue-rows.ts';
import type { Change } from '../pipeline.ts';
import type { Credentials } from '../scenario/scenario.ts';
import { hasSameEnds } from '../token-changes.ts';
import {
  type Form,
  matches,
  replaceFields,
  takeForFirstClient,
  withoutMarks,
} from '../token-request-changes.ts';
import { acceptClient, acceptGrantType, acceptSecret, ofSecret } from './token-request.ts';

/** Whether a text matches a regular expression; not if it is none. */
function matchesExpression(text: string, expression = ''): boolean {
  try {
    return expression !== '' && new RegExp(`^(?:${expression})$`, 'u').test(text);
  } catch {
    return false;
  }
}

/** Issues a token to a known client whatever its client_secret is, and with its own scope where none is given. */
function secretUnchecked(where: (form: Form, client: Credentials, first: Credentials) => boolean): Change {
  return replaceFields((form, service) => {
    const client = service.steps.findClient(form.get('client_id'), service);
    if (client === undefined || !where(form, client, service.credentials)) return {};
    return { client_secret: client.clientSecret, scope: form.get('scope') ?? client.scope };
  });
}

/** Issues a token for another grant type if a parameter of that grant is there. */
function completeGrant(grantType: string, parameter: string): Change {
  return replaceFields((form) =>
    form.get('grant_type') === grantType && form.has(parameter) ? { grant_type: 'client_credentials' } : {},
  );
}

const secrets = defectsWith(ofSecret)({
  'secret-trimmed': subtle('A token is issued for the client_secret with white space around it.').by(
    acceptSecret((given, real) => given?.trim() === real),
  ),
  'secret-accents-ignored': subtle('A token is issued for the client_secret with accents.').by(
    acceptSecret((given, real) => withoutMarks(given) === real),
  ),
  'secret-middle-unread': subtle(
    'A token is issued for another client_secret of the same length, beginning and end.',
  ).by(acceptSecret((given = '', real) => hasSameEnds(given, real, 4))),
  'secret-ends-at-nul': subtle('A token is issued for the client_secret followed by NUL and anything.').by(
    acceptSecret((given, real) => given?.split('\0')[0] === real),
  ),
  'secret-is-pattern': subtle('A token is issued for a pattern that matches the client_secret.').by(
    acceptSecret((given, real) => matches(real, given)),
  ),
  'secret-is-regular-expression': subtle(
    'A token is issued for a regular expression that matches the client_secret.',
  ).by(acceptSecret((given, real) => matchesExpression(real, given))),
  'secret-hash-accepted': subtle('A token is issued for the stored hash of the client_secret.').by(
    acceptSecret((given, real) => given === sha256(real)),
  ),
});

const uncheckedSecrets = defectsWith({ keywords: ['secret'], must: ['token/secret'] })({
  'secret-array-accepted': subtle('A token is issued if client_secret is an array, whatever it holds.').by(
    secretUnchecked((form) => form.has('client_secret[]')),
  ),
  'secret-unchecked-without-scope': subtle(
    'A token is issued for any client_secret if the request has no scope.',
  ).by(secretUnchecked((form) => !form.has('scope'))),
  'secret-of-second-client-unneeded': subtle(
    'A token is issued to the second client without client_secret, as to a public client.',
  ).by(secretUnchecked((form, client, first) => client !== first && !form.has('client_secret'))),
});

/** Takes clients without a client_id and a client_secret for the first one. */
function takeNameless(given: string | undefined): Change {
  return takeForFirstClient((form) => form.get('client_id') === given && form.get('client_secret') === given);
}

const clients = defectsWith({ keywords: ['client_id'], must: ['token/client'] })({
  'client-trimmed': subtle('A token is issued for an issued client_id with white space around it.').by(
    acceptClient((given, real) => given?.trim() === real),
  ),
  'client-is-pattern': subtle('A token is issued for a pattern that matches an issued client_id.').by(
    acceptClient((given, real) => matches(real, given)),
  ),
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
  'client-and-secret-empty': having({ may: ['token/secret'] })
    .subtle('A token is issued when client_id and client_secret are both empty.')
    .by(takeNameless('')),
  'client-and-secret-missing': having({ may: ['token/secret'] })
    .subtle('A token is issued when client_id and client_secret are both missing.')
    .by(takeNameless(undefined)),
});

const grantTypes = defectsWith({ keywords: ['grant_type'], must: ['token/grant-type'] })({
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
});

/** Defects of token requests that only rare kinds of wrong requests show. */
export const rareTokenRequestDefects = [...secrets, ...uncheckedSecrets, ...clients, ...grantTypes];
