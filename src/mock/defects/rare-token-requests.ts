import { sha256 } from '../../core/sha256.ts';
import { type Defect, type DefectDraft, defectsOf } from '../defect.ts';
import { type Change, wrap } from '../pipeline.ts';
import type { Client } from '../scenario/scenario.ts';
import { clientDefect, grantTypeDefect, secretDefect } from './token-request.ts';

function withoutMarks(text: string | undefined): string | undefined {
  return text?.normalize('NFD').replaceAll(/\p{M}/gu, '');
}

/** Whether a text matches a pattern in which % and * stand for any characters. */
function matches(text: string, pattern: string | undefined): boolean {
  return pattern === '%' || pattern === '*' || pattern === text;
}

/** Issues a token to a known client whatever its client_secret is, and with its own scope where none is given. */
function secretUnchecked(
  where: (form: ReadonlyMap<string, string>, client: Client, first: Client) => boolean,
): Change {
  return wrap('grant', (grant) => (form, service) => {
    const client = service.steps.findClient(form.get('client_id'), service);
    if (client === undefined || !where(form, client, service.credentials)) return grant(form, service);
    const { clientSecret, scope } = client;
    return grant(new Map([['scope', scope], ...form, ['client_secret', clientSecret]]), service);
  });
}

/** Whether a text matches a regular expression; not if it is none. */
function matchesExpression(text: string, expression = ''): boolean {
  try {
    return expression !== '' && new RegExp(`^(?:${expression})$`, 'u').test(text);
  } catch {
    return false;
  }
}

/** Issues a token for another grant type if a parameter of that grant is there. */
function completeGrant(grantType: string, parameter: string): DefectDraft {
  return {
    sentence: `A token is issued for the grant_type ${grantType} with any ${parameter}.`,
    keywords: ['grant_type', parameter],
    must: ['token/grant-type'],
    apply: wrap('grant', (grant) => (form, service) => {
      const isComplete = form.get('grant_type') === grantType && form.has(parameter);
      return grant(isComplete ? new Map([...form, ['grant_type', 'client_credentials']]) : form, service);
    }),
  };
}

const secrets = defectsOf({
  'secret-trimmed': secretDefect(
    'subtle',
    'the client_secret with white space around it',
    (given, real) => given?.trim() === real,
  ),
  'secret-accents-ignored': secretDefect(
    'subtle',
    'the client_secret with accents',
    (given, real) => withoutMarks(given) === real,
  ),
  'secret-middle-unread': secretDefect(
    'subtle',
    'another client_secret of the same length, beginning and end',
    (given = '', real) =>
      given.length === real.length &&
      given.slice(0, 4) === real.slice(0, 4) &&
      given.slice(-4) === real.slice(-4),
  ),
  'secret-ends-at-nul': secretDefect(
    'subtle',
    'the client_secret followed by NUL and anything',
    (given, real) => given?.split('\0')[0] === real,
  ),
  'secret-is-pattern': secretDefect('subtle', 'a pattern that matches the client_secret', (given, real) =>
    matches(real, given),
  ),
  'secret-is-regular-expression': secretDefect(
    'subtle',
    'a regular expression that matches the client_secret',
    (given, real) => matchesExpression(real, given),
  ),
  'secret-hash-accepted': secretDefect(
    'subtle',
    'the stored hash of the client_secret',
    (given, real) => given === sha256(real),
  ),
  'secret-array-accepted': {
    sentence: 'A token is issued if client_secret is an array, whatever it holds.',
    keywords: ['secret'],
    must: ['token/secret'],
    apply: secretUnchecked((form) => form.has('client_secret[]')),
  },
  'secret-unchecked-without-scope': {
    sentence: 'A token is issued for any client_secret if the request has no scope.',
    keywords: ['secret'],
    must: ['token/secret'],
    needs: { otherCredentials: true },
    apply: secretUnchecked((form) => !form.has('scope')),
  },
  'secret-of-second-client-unneeded': {
    sentence: 'A token is issued to the second client without client_secret, as to a public client.',
    keywords: ['secret'],
    must: ['token/secret'],
    needs: { otherCredentials: true },
    apply: secretUnchecked((form, client, first) => client !== first && !form.has('client_secret')),
  },
});

const clients = defectsOf({
  'client-trimmed': clientDefect(
    'subtle',
    'an issued client_id with white space around it',
    (given, real) => given?.trim() === real,
  ),
  'client-is-pattern': clientDefect('subtle', 'a pattern that matches an issued client_id', (given, real) =>
    matches(real, given),
  ),
  'client-accents-ignored': clientDefect(
    'subtle',
    'an issued client_id with accents',
    (given, real) => withoutMarks(given) === real,
  ),
  'client-unknown-without-secret': {
    sentence: 'A token is issued for an unknown client_id without a client_secret, as for a public client.',
    keywords: ['client_id'],
    must: ['token/client'],
    apply: wrap('grant', (grant) => (form, service) => {
      const id = form.get('client_id');
      const known = service.steps.findClient(id, service) !== undefined;
      if (known || id === undefined || id === '' || form.has('client_secret')) return grant(form, service);
      const { clientId, clientSecret } = service.credentials;
      return grant(new Map([...form, ['client_id', clientId], ['client_secret', clientSecret]]), service);
    }),
  },
});

const namelessClients = defectsOf({
  'client-and-secret-empty': nameless('both empty', ''),
  'client-and-secret-missing': nameless('both missing', undefined),
});

/** A client with neither a client_id nor a client_secret is taken for the first one. */
function nameless(words: string, given: string | undefined): DefectDraft {
  return {
    sentence: `A token is issued when client_id and client_secret are ${words}.`,
    keywords: ['client_id'],
    must: ['token/client'],
    may: ['token/secret'],
    apply: wrap('grant', (grant) => (form, service) => {
      if (form.get('client_id') !== given || form.get('client_secret') !== given) return grant(form, service);
      const { clientId, clientSecret } = service.credentials;
      return grant(new Map([...form, ['client_id', clientId], ['client_secret', clientSecret]]), service);
    }),
  };
}

const grantTypes = defectsOf({
  'grant-type-password-of-anybody': completeGrant('password', 'username'),
  'grant-type-any-code': completeGrant('authorization_code', 'code'),
  'grant-type-implicit': grantTypeDefect(
    'subtle',
    'for the grant_type implicit',
    (value) => value === 'implicit',
  ),
  'grant-type-token-exchange': grantTypeDefect('subtle', 'for the grant_type of token exchange', (value) => {
    return value?.endsWith(':token-exchange') === true;
  }),
  'grant-type-one-of-several': grantTypeDefect(
    'subtle',
    'if client_credentials is one of several words',
    (value) => {
      return (
        value?.split(' ').includes('client_credentials') === true && value.trim() !== 'client_credentials'
      );
    },
  ),
});

/** Defects of token requests that only rare kinds of wrong requests show. */
export const rareTokenRequestDefects: readonly Defect[] = [
  ...secrets,
  ...clients,
  ...namelessClients,
  ...grantTypes,
];
