import { setTimeout } from 'node:timers/promises';
import { defectsWith, having } from '../catalogue-rows.ts';
import { type Change, composeChanges, withState, wrap } from '../changes.ts';
import type { Service } from '../pipeline.ts';
import type { Credentials } from '../scenario/scenario.ts';
import { type Form, replaceFields } from '../token-changes.ts';

/** Milliseconds for which a token request is in progress. */
const BUSY_MS = 200;

/** Replaces fields of token requests that come while valid ones of these clients are in progress. */
function replaceDuringValid(
  replace: (
    form: Form,
    clients: readonly [Credentials, ...Credentials[]],
    service: Service,
  ) => Readonly<Record<string, string>>,
): Change {
  return withState(Array<Credentials>, (inProgress) =>
    composeChanges(
      replaceFields((form, service) => {
        const [first, ...others] = inProgress;
        return first === undefined ? {} : replace(form, [first, ...others], service);
      }),
      wrap('issue', (issue) => async (grant, service) => {
        inProgress.push(grant.client);
        await setTimeout(BUSY_MS);
        inProgress.shift();
        return issue(grant, service);
      }),
    ),
  );
}

function knownClient(form: Form, service: Service): Credentials | undefined {
  return service.steps.findClient(form.get('client_id'), service);
}

/** Defects of token endpoints that share what they read between requests in progress. Full sends no requests of this kind. */
export const tokenRaceDefects = defectsWith({
  keywords: ['same time'],
  needs: { suite: 'certify', order: true },
})({
  'grant-type-of-request-in-progress': having({ must: ['token/grant-type'], keywords: ['grant_type'] })
    .subtle('A wrong grant_type is taken for the one of a valid token request that is in progress.')
    .by(replaceDuringValid(() => ({ grant_type: 'client_credentials' }))),
  'client-of-request-in-progress': having({
    must: ['token/client'],
    may: ['token/secret'],
    keywords: ['client_id'],
  })
    .hidden('An unknown client is taken for the client of a valid token request that is in progress.')
    .by(
      replaceDuringValid((form, [{ clientId, clientSecret }], service) =>
        knownClient(form, service) === undefined ? { client_id: clientId, client_secret: clientSecret } : {},
      ),
    ),
  'secret-of-request-in-progress': having({
    must: ['token/secret'],
    may: ['token/provider-isolation'],
    keywords: ['secret'],
  })
    .subtle('A wrong secret is accepted while a valid token request of the same client is in progress.')
    .by(
      replaceDuringValid((form, clients): Readonly<Record<string, string>> => {
        const client = clients.find(({ clientId }) => clientId === form.get('client_id'));
        return client === undefined ? {} : { client_secret: client.clientSecret };
      }),
    ),
  'isolation-none-while-owner-in-progress': having({
    must: ['token/provider-isolation'],
    keywords: ['client_secret'],
  })
    .hidden(
      'The secret of a client is accepted for all clients while a token request of that client is in progress.',
    )
    .by(
      replaceDuringValid((form, clients, service): Readonly<Record<string, string>> => {
        const client = knownClient(form, service);
        const isOfOwner = clients.some(({ clientSecret }) => clientSecret === form.get('client_secret'));
        return client !== undefined && isOfOwner ? { client_secret: client.clientSecret } : {};
      }),
    ),
});
