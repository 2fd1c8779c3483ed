import type { Header } from '../core/exchange.ts';

/** Fields of a token request in their order. */
export type Form = readonly (readonly [name: string, value: string])[];

/** A valid way to write the token request that most clients do not use; every server reads the same from it. */
export interface TokenSpelling {
  /** What is unusual, to follow "the token request". */
  readonly how: string;
  readonly headers: readonly Header[];
  readonly body: (form: Form) => string;
}

const CONTENT_TYPE: Header = ['Content-Type', 'application/x-www-form-urlencoded'];
const ACCEPT: Header = ['Accept', 'application/json'];

/** The request as most clients write it. */
export const USUAL_SPELLING: TokenSpelling = {
  how: 'as usual',
  headers: [CONTENT_TYPE, ACCEPT],
  body: formEncoded,
};

/** A spelling with `Connection: close`, so that the request has a connection of its own. */
function onNewConnection(spelling: TokenSpelling): TokenSpelling {
  return { ...spelling, headers: [...spelling.headers, ['Connection', 'close']] };
}

export const USUAL_ON_NEW_CONNECTION = onNewConnection(USUAL_SPELLING);

/** The request with %20 for blanks, for servers that do not read + as one. */
export const PERCENT_BLANKS: TokenSpelling = {
  ...USUAL_SPELLING,
  how: 'with %20 for the blanks between scopes',
  body: (form) => formEncoded(form).replaceAll('+', '%20'),
};

/** Other spellings (RFC 9110, 12.5.1; URL Standard, 5.1: the order of fields and the spelling of escapes mean nothing). */
export const TOKEN_SPELLINGS: readonly TokenSpelling[] = [
  {
    ...USUAL_SPELLING,
    how: 'with its fields in another order',
    body: (form) => formEncoded(form.toReversed()),
  },
  PERCENT_BLANKS,
  { ...USUAL_SPELLING, how: 'without an Accept header', headers: [CONTENT_TYPE] },
  {
    ...USUAL_SPELLING,
    how: 'with percent-escapes in its grant_type and its client_id',
    body: withFurtherEscapes,
  },
  {
    ...USUAL_SPELLING,
    how: 'with Accept: */* and scope as its first field',
    headers: [CONTENT_TYPE, ['Accept', '*/*']],
    body: (form) =>
      formEncoded(form.toSorted(([one], [other]) => Number(other === 'scope') - Number(one === 'scope'))),
  },
  {
    ...USUAL_SPELLING,
    how: 'with percent-escapes in lower case',
    body: (form) => withFurtherEscapes(form).replaceAll(/%[0-9A-F]{2}/g, (written) => written.toLowerCase()),
  },
];

/**
 * The other spelling of a valid request by seed and number, from 0. The first goes over the connection of the request before it,
 * as clients send it that keep connections; three of four go over new ones, which may lead to another server.
 */
export function spellingOfTurn(seed: number, number: number): TokenSpelling {
  const spelling = TOKEN_SPELLINGS[(seed + number) % TOKEN_SPELLINGS.length] ?? USUAL_SPELLING;
  return number % 4 === 0 ? spelling : onNewConnection(spelling);
}

/** A form whose grant_type and client_id have an escape more than is needed (URL Standard, 5.1). */
function withFurtherEscapes(form: Form): string {
  return formEncoded(form)
    .replace('=client_credentials', '=client%5Fcredentials')
    .replace(/(?<=(?:^|&)client_id=)[^&%+]+/, (id) => {
      const place = Math.max(0, id.search(/[-._]/));
      return `${id.slice(0, place)}%${id.charCodeAt(place).toString(16).toUpperCase()}${id.slice(place + 1)}`;
    });
}

/** A form as application/x-www-form-urlencoded. */
export function formEncoded(form: Form): string {
  return new URLSearchParams(form as [string, string][]).toString();
}
