import { isUuid, swapCase } from '../../src/core/letter-case.ts';
import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import {
  obtainsNoToken,
  type RefusalAnswer,
  refusedTokenRequests,
} from '../../src/judge/refused-token-requests.ts';

export const tokenClient = requirement({
  id: 'token/client',
  clause: ['4.1'],
  smoke: false,
  rule: 'A token request without client_id, or with one that was never issued, obtains no access token.',
  needs: null,
  tested: prose`Sends the request without client_id, with an empty one, and with identifiers that no client has. Looks
      for an access_token in the answer, whatever its status.`,
  breach: 'The answer to such a request contains an access_token.',
  causes: prose`A look-up that falls back to a default client; client_id compared without letter case or by its
      beginning; an unknown client treated as a public one; an empty client_id accepted together with an empty secret.`,
  fix: prose`Look the client up by its exact client_id and refuse the request if there is none. Give no token to a
      client without a secret.`,
  judge: refusedTokenRequests({ oracle: obtainsNoToken, probes: wrongClients }),
});

async function* wrongClients(context: CheckContext): AsyncGenerator<RefusalAnswer> {
  const { tokens } = context;
  await tokens.bearer();
  for (const [asked, id, secret] of wrongClientsOf(context)) {
    const form: (readonly [string, string])[] = tokens
      .rightForm()
      .filter(([name]) => name === 'grant_type' || name === 'scope');
    if (id !== null) form.push(['client_id', id]);
    if (secret !== null) form.push(['client_secret', secret]);
    yield { asked, answer: await tokens.ask(form) };
  }
}

/** The client_id and client_secret to send; null leaves the field out. */
type WrongClient = readonly [asked: string, id: string | null, secret: string | null];

function wrongClientsOf({ target, options, random }: CheckContext): readonly WrongClient[] {
  const { clientId: id, clientSecret: secret } = target.credentials;
  const unknown = `${random('client').toString(36)}${random('client again').toString(36)}`;
  const swapped = swapCase(id);
  const cases: WrongClient[] = [
    ['without client_id', null, secret],
    ['with an empty client_id', '', secret],
    ['with a client_id that was never issued', unknown, secret],
    ['with an empty client_id and an empty client_secret', '', ''],
  ];
  // UUIDs are the same in either letter case.
  if (swapped !== id && !isUuid(id)) cases.push(['with the client_id in other letter case', swapped, secret]);
  cases.push(['with the client_id followed by one more character', `${id}x`, secret]);
  if (id.length > 1)
    cases.push(['with the client_id shortened by its last character', id.slice(0, -1), secret]);
  if (options.suite === 'certify')
    cases.push(
      ['without client_id and client_secret', null, null],
      ['with a client_id that was never issued and an empty client_secret', unknown, ''],
    );
  return cases;
}
