import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import { type Change, type Grant, TokenRefused, wrap } from '../pipeline.ts';
import type { Client } from '../scenario/scenario.ts';

function grantType(also: (value: string | undefined) => boolean): Change {
  return wrap('grantTypeAccepted', (accepted) => (value, service) => accepted(value, service) || also(value));
}

function secret(also: (given: string | undefined, real: string) => boolean): Change {
  return wrap(
    'secretAccepted',
    (accepted) => (client, given, service) =>
      accepted(client, given, service) || also(given, client.clientSecret),
  );
}

function clientBy(same: (given: string | undefined, real: string) => boolean): Change {
  return wrap(
    'findClient',
    (find) => (given, service) =>
      find(given, service) ?? service.clients.find((client) => same(given, client.clientId)),
  );
}

/** Adds a valid token to the refusals whose error code `when` selects. */
function refusedWithToken(when: (error: string) => boolean): Change {
  return wrap('tokenRefusal', (tokenRefusal) => async (refusal, request, service) => {
    const answer = await tokenRefusal(refusal, request, service);
    if (!when(refusal.error)) return answer;
    const granted: Grant = { client: service.credentials, scope: service.credentials.scope };
    const issued = await service.steps.issue(granted, service);
    const members: Record<string, unknown> = JSON.parse(Buffer.from(answer.body).toString('utf8'));
    const body = JSON.stringify({ ...members, ...service.steps.tokenBody(issued, granted, service) });
    return { ...answer, body };
  });
}

/** A token is issued for wrong values of grant_type. */
export function grantTypeDefect(
  difficulty: Difficulty,
  words: string,
  also: (value: string | undefined) => boolean,
): DefectDraft {
  return {
    sentence: `A token is issued ${words}.`,
    keywords: ['grant_type'],
    must: ['token/grant-type'],
    difficulty,
    apply: grantType(also),
  };
}

const grantTypes = defectsOf({
  'grant-type-any': grantTypeDefect('plain', 'for any grant_type', (value) => value !== undefined),
  'grant-type-unread': grantTypeDefect('plain', 'with any grant_type and without one', () => true),
  'grant-type-missing': grantTypeDefect('plain', 'if grant_type is missing', (value) => value === undefined),
  'grant-type-empty': grantTypeDefect('hidden', 'if grant_type is empty', (value) => value === ''),
  'grant-type-password': grantTypeDefect(
    'hidden',
    'for the grant_type password',
    (value) => value === 'password',
  ),
  'grant-type-authorization-code': grantTypeDefect(
    'hidden',
    'for the grant_type authorization_code without any code',
    (value) => value === 'authorization_code',
  ),
  'grant-type-refresh-token': grantTypeDefect(
    'hidden',
    'for the grant_type refresh_token without any refresh token',
    (value) => value === 'refresh_token',
  ),
  'grant-type-prefix': grantTypeDefect(
    'subtle',
    'for a grant_type that only begins with client_credentials',
    (value) => value?.startsWith('client_credentials') === true,
  ),
  'grant-type-shortened': grantTypeDefect(
    'subtle',
    'for a grant_type that is only the beginning of client_credentials',
    (value) => value !== undefined && value.length >= 6 && 'client_credentials'.startsWith(value),
  ),
  'grant-type-accepted-when-repeated': {
    sentence: 'A wrong grant_type is refused once: when it is sent again, a token is issued.',
    keywords: ['refused before'],
    must: ['token/grant-type'],
    difficulty: 'subtle',
    apply: wrap('grantTypeAccepted', (accepted) => {
      const refused = new Set<string | undefined>();
      return (value, service) => {
        if (accepted(value, service) || refused.has(value)) return true;
        refused.add(value);
        return false;
      };
    }),
  },
  'grant-type-refused-with-token': {
    sentence: 'The error answer for a wrong grant_type contains an access token.',
    keywords: ['grant_type'],
    must: ['token/grant-type'],
    difficulty: 'hidden',
    apply: refusedWithToken((error) => error === 'unsupported_grant_type'),
  },
});

/** A token is issued for wrong secrets. */
export function secretDefect(
  difficulty: Difficulty,
  words: string,
  also: (given: string | undefined, real: string) => boolean,
): DefectDraft {
  return {
    sentence: `A token is issued for ${words}.`,
    keywords: ['secret'],
    must: ['token/secret'],
    may: ['token/provider-isolation'],
    difficulty,
    apply: secret(also),
  };
}

const secrets = defectsOf({
  'secret-unchecked': secretDefect('plain', 'any client_secret or none', () => true),
  'secret-any': secretDefect(
    'plain',
    'any client_secret, but not without one',
    (given) => given !== undefined,
  ),
  'secret-absent': secretDefect('plain', 'a request without client_secret', (given) => given === undefined),
  'secret-empty': secretDefect('hidden', 'an empty client_secret', (given) => given === ''),
  'secret-any-case': secretDefect(
    'subtle',
    'the client_secret in other letter case',
    (given, real) => given?.toLowerCase() === real.toLowerCase(),
  ),
  'secret-beginning': secretDefect(
    'subtle',
    'a client_secret that is only the beginning of the correct one',
    (given, real) => given !== undefined && given.length >= 8 && real.startsWith(given),
  ),
  'secret-extended': secretDefect(
    'subtle',
    'the client_secret with anything appended',
    (given, real) => given?.startsWith(real) === true,
  ),
  'secret-first-eight': secretDefect(
    'subtle',
    'a client_secret of which only the first eight characters are correct',
    (given, real) => given?.slice(0, 8) === real.slice(0, 8),
  ),
  'secret-length': secretDefect(
    'subtle',
    'any client_secret of the correct length',
    (given, real) => given?.length === real.length,
  ),
  'secret-remembered': {
    sentence: 'After one request with the correct secret, a token is issued for any client_secret.',
    keywords: ['secret'],
    must: ['token/secret'],
    may: ['token/provider-isolation'],
    apply: wrap('secretAccepted', (accepted) => {
      const proven = new Set<Client>();
      return (client, given, service) => {
        if (accepted(client, given, service)) proven.add(client);
        return proven.has(client);
      };
    }),
  },
  'secret-refused-with-token': {
    sentence: 'The error answer for a wrong client_secret or client_id contains an access token.',
    keywords: ['token'],
    must: ['token/secret', 'token/client'],
    may: ['token/provider-isolation'],
    difficulty: 'hidden',
    apply: refusedWithToken((error) => error === 'invalid_client'),
  },
  'refused-with-200-and-token': {
    sentence: 'A wrong client_secret is answered 200 with an error member and a working access token.',
    keywords: ['secret'],
    must: ['token/secret'],
    may: ['token/provider-isolation'],
    difficulty: 'hidden',
    apply: (steps) => ({
      ...steps,
      secretAccepted: (client, given, service) => {
        if (steps.secretAccepted(client, given, service)) return true;
        throw new TokenRefused({ status: 200, error: 'wrong_secret', description: 'the secret is wrong' });
      },
      tokenRefusal: refusedWithToken((error) => error === 'wrong_secret')(steps).tokenRefusal,
    }),
  },
});

/** A token is issued for wrong client identifiers. */
export function clientDefect(
  difficulty: Difficulty,
  words: string,
  same: (given: string | undefined, real: string) => boolean,
): DefectDraft {
  return {
    sentence: `A token is issued for ${words}.`,
    keywords: ['client_id'],
    must: ['token/client'],
    difficulty,
    apply: clientBy(same),
  };
}

const clients = defectsOf({
  'client-found-by-secret': {
    sentence: 'The client is looked up by its secret alone, so a token is issued for any client_id.',
    keywords: ['client_id'],
    must: ['token/client'],
    difficulty: 'plain',
    apply: wrap('grant', (grant) => (form, service) => {
      const known = service.steps.findClient(form.get('client_id'), service);
      const owner = service.clients.find((client) => client.clientSecret === form.get('client_secret'));
      // A known client_id still needs its own secret: that is another requirement.
      if (known !== undefined || owner === undefined) return grant(form, service);
      return grant(new Map([...form, ['client_id', owner.clientId]]), service);
    }),
  },
  'client-registered-when-refused': {
    sentence: 'An unknown client is refused once: when it asks again, it gets a token.',
    keywords: ['refused before'],
    must: ['token/client'],
    difficulty: 'subtle',
    apply: wrap('grant', (grant) => {
      const refused = new Set<string>();
      return (form, service) => {
        const credentials = JSON.stringify([form.get('client_id'), form.get('client_secret')]);
        const isKnown = service.steps.findClient(form.get('client_id'), service) !== undefined;
        if (isKnown || !refused.has(credentials)) {
          if (!isKnown) refused.add(credentials);
          return grant(form, service);
        }
        const { clientId, clientSecret } = service.credentials;
        const registered = new Map([
          ...form,
          ['client_id', clientId],
          ['client_secret', clientSecret],
        ] as const);
        return grant(registered, service);
      };
    }),
  },
  'client-missing': clientDefect(
    'plain',
    'the correct secret without a client_id',
    (given) => given === undefined,
  ),
  'client-empty': clientDefect(
    'hidden',
    'the correct secret with an empty client_id',
    (given) => given === '',
  ),
  'client-any-case': clientDefect(
    'subtle',
    'the client_id in other letter case',
    (given, real) => given?.toLowerCase() === real.toLowerCase(),
  ),
  'client-beginning': clientDefect(
    'subtle',
    'a client_id that is only the beginning of an issued one',
    (given, real) => given !== undefined && given.length >= real.length - 4 && real.startsWith(given),
  ),
  'client-extended': clientDefect(
    'subtle',
    'an issued client_id with anything appended',
    (given, real) => given?.startsWith(real) === true,
  ),
  'client-unknown-public': {
    sentence: 'An unknown client_id is treated as a public client, and a token is issued for any secret.',
    keywords: ['client_id'],
    must: ['token/client'],
    difficulty: 'plain',
    apply: (steps) => {
      const strangers = new Set<Client>();
      return {
        ...steps,
        findClient: (clientId, service) => {
          const known = steps.findClient(clientId, service);
          if (known !== undefined || clientId === undefined || clientId === '') return known;
          const stranger = { clientId, clientSecret: '', scope: service.credentials.scope };
          strangers.add(stranger);
          return stranger;
        },
        secretAccepted: (client, given, service) =>
          strangers.delete(client) || steps.secretAccepted(client, given, service),
      };
    },
  },
});

/** Defects of the decision whether a token is issued. */
export const tokenRequestDefects: readonly Defect[] = [...grantTypes, ...secrets, ...clients];
