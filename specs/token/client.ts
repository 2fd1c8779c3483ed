import { isUuid, swapCase } from '../../src/core/text.ts';
import { requirement } from '../../src/judge/check.ts';
import { type CheckContext, madeUpText, shareOf } from '../../src/judge/context.ts';
import {
  type RefusalAnswer,
  refusedTokenRequests,
  repeatedRequests,
} from '../../src/judge/rules/refused-token-requests.ts';
import type { Repetition } from '../../src/provider/token-endpoint.ts';

export const tokenClient = requirement({
  id: 'token/client',
  clause: ['4.1'],
  rule: 'A token request without client_id, or with one that was never issued, obtains no access token.',
  tested: `Sends the request without client_id, with an empty one, and with identifiers that no client has, with the
      client_secret, with another one and without: unknown ones, the client_id in other letter case, shortened,
      continued, with blanks, wildcards, SQL. Full runs draw some by their seed, certify sends all. One of them is sent
      twice (certify: six, two of them around a valid request). Looks for an access_token in the answer, whatever its status.`,
  breach: 'The answer to such a request contains an access_token.',
  causes: `A look-up that falls back to a default client; client_id compared without letter case or by its
      beginning, or in a database whose collation ignores letter case or blanks at the end; an unknown client treated as a public one; an empty client_id accepted together with an empty secret.`,
  fix: `Look the client up by its exact client_id and refuse the request if there is none. Give no token to a
      client without a secret.`,
  judge: refusedTokenRequests(wrongClients),
});

async function* wrongClients(context: CheckContext): AsyncGenerator<RefusalAnswer> {
  const { tokens } = context;
  await tokens.bearer();
  // Any client_id may be accepted, not only that of a probe.
  const broader = () => sent(context, unknownClient(context));
  const hasId = ([, id]: WrongClient): boolean => id !== null && id !== '';
  const all = wrongClientsOf(context);
  for (const wrong of all) yield { ...(await sent(context, wrong)), ...(hasId(wrong) ? { broader } : {}) };
  const isCertify = context.options.suite === 'certify';
  const repeated = isCertify ? all : all.filter(hasId);
  yield* repeatedRequests(context, repeated, (again, repetition) => sent(context, again, repetition));
}

async function sent(
  { tokens }: CheckContext,
  [description, id, secret]: WrongClient,
  repetition: Repetition | null = null,
): Promise<RefusalAnswer> {
  const form: (readonly [string, string])[] = tokens.endpoint
    .validForm()
    .filter(([name]) => name === 'grant_type' || name === 'scope');
  if (id !== null) form.push(['client_id', id]);
  if (secret !== null) form.push(['client_secret', secret]);
  return { description, answer: await tokens.endpoint.askToBeRefused(form, repetition) };
}

function unknownClient(context: CheckContext): WrongClient {
  const { clientSecret } = context.target.credentials;
  return ['with a client_id that was never issued', madeUpText(context, 'client'), clientSecret];
}

/** The client_id and client_secret to send; null leaves the field out. */
type WrongClient = readonly [description: string, id: string | null, secret: string | null];

function wrongClientsOf(context: CheckContext): readonly WrongClient[] {
  const { random, target } = context;
  const { clientId: id, clientSecret: secret } = target.credentials;
  const half = Math.floor(id.length / 2);
  const neverIssued = unknownClient(context);
  const [, unknown] = neverIssued;
  const cases: WrongClient[] = [
    ['without client_id', null, secret],
    ['with an empty client_id', '', secret],
    ['with an empty client_id and an empty client_secret', '', ''],
    ['without client_id and client_secret', null, null],
  ];
  // Any of a kind shows the most likely breach of that kind. UUIDs are the same in either letter case.
  const inOtherCase: readonly WrongClient[] = [
    ['with the client_id in other letter case', swapCase(id), secret],
    ['with the client_id in capital letters', id.toUpperCase(), secret],
    ['with the client_id in lower case', id.toLowerCase(), secret],
  ];
  const continued: readonly WrongClient[] = [
    ['with the client_id followed by one more character', `${id}x`, secret],
    ['with the client_id followed by a blank', `${id} `, secret],
    ['with the client_id followed by a comma and another character', `${id},x`, secret],
    ['with the client_id followed by NUL and another character', `${id}\0x`, secret],
    ['with the client_id followed by @ and another character', `${id}@x`, secret],
  ];
  // Any of these also shows the most likely breach, a client_id that is not looked up at all.
  const unknowns: readonly WrongClient[] = [
    neverIssued,
    ['with a client_id that was never issued and no client_secret', unknown, null],
    // A provider may register a client that it does not know.
    ['with a client_id and a client_secret that were never issued', unknown, random('secret').toString(36)],
    ['with a client_id that was never issued and an empty client_secret', unknown, ''],
    ['with another second half of the client_id', id.slice(0, half) + 'x'.repeat(id.length - half), secret],
    ['with another first half of the client_id', 'x'.repeat(half) + id.slice(half), secret],
    ['with % in place of the last character of the client_id', `${id.slice(0, -1)}%`, secret],
    ['with _ in place of a character of the client_id', withUnderscore(id), secret],
    ['with the first character of the client_id in full width', inFullWidth(id), secret],
    ['with a blank before the client_id', ` ${id}`, secret],
    [
      'with an accent on the first character of the client_id',
      `${id.slice(0, 1)}\u0301${id.slice(1)}`,
      secret,
    ],
    ['with * as its client_id', '*', secret],
    ["with ' or '1'='1 as its client_id", "' or '1'='1", secret],
    ['with an empty client_id and no client_secret', '', null],
    ['with null as its client_id', 'null', secret],
    // A member of every object of JavaScript.
    ['with constructor as its client_id and no client_secret', 'constructor', null],
    ...(target.otherCredentials === null
      ? []
      : [
          [
            "with a client_id that was never issued and the second provider's client_secret",
            unknown,
            target.otherCredentials.clientSecret,
          ] as const,
        ]),
  ];
  cases.push(
    ...shareOf(context, isUuid(id) ? [] : inOtherCase.filter(([, other]) => other !== id), 1),
    ...shareOf(context, continued, 1),
    ...shareOf(context, unknowns, 1),
  );
  if (id.length > 1) {
    cases.push(['with the client_id shortened by its last character', id.slice(0, -1), secret]);
    if (context.options.suite === 'certify')
      cases.push([
        'with the last character of the client_id in front of the client_secret',
        id.slice(0, -1),
        id.slice(-1) + secret,
      ]);
  }
  const isFirst = ([, other, given]: WrongClient, index: number): boolean =>
    cases.findIndex((one) => one[1] === other && one[2] === given) === index;
  return cases.filter((one, index) => one[1] !== id && isFirst(one, index));
}

/** The text with an underscore in place of its first hyphen, or of its middle character: a wildcard of SQL. */
function withUnderscore(text: string): string {
  const hyphen = text.indexOf('-');
  const place = hyphen < 0 ? Math.floor(text.length / 2) : hyphen;
  return `${text.slice(0, place)}_${text.slice(place + 1)}`;
}

/** The text with a first character that Unicode normalization (NFKC) makes the usual one. */
function inFullWidth(text: string): string {
  return text.replace(/^[!-~]/, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0));
}
