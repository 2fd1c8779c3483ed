import { generateKeyPairSync, sign } from 'node:crypto';
import { type Mock, startMock } from '../../../src/mock/index.ts';
import { fieldsOf, listRequest, type Sent, send, tokenOf, tokenRequest } from './client.ts';

/** Fixed, so that two providers differ in nothing but their defects. */
const credentials = { clientId: 'Provider-One', clientSecret: 'Secret0123456789One', scope: 'a.b c.d' };
const otherCredentials = { clientId: 'Provider-Two', clientSecret: 'Secret9876543210Two', scope: 'a.b c.d' };

export type Options = NonNullable<Parameters<typeof startMock>[0]>;

/** A provider with the battery's credentials. */
export function startComparable(options: Options): Promise<Mock> {
  return startMock({ ...options, credentials, otherCredentials });
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}

function without(fields: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).filter(([one]) => one !== name));
}

function tokenProbes(): readonly Sent[] {
  const right = fieldsOf(credentials);
  const grants = [
    '',
    'password',
    'authorization_code',
    'refresh_token',
    'client_credentials2',
    'client_cred',
  ];
  const secret = credentials.clientSecret;
  const secrets = [
    '',
    'wrong',
    swapCase(secret),
    secret.slice(0, -1),
    `${secret}x`,
    `${secret.slice(0, -3)}...`,
    'x'.repeat(secret.length),
    otherCredentials.clientSecret,
  ];
  const id = credentials.clientId;
  const ids = ['', 'nobody', swapCase(id), id.slice(0, -1), `${id}x`];
  const requests = [
    right,
    fieldsOf(otherCredentials),
    without(right, 'grant_type'),
    ...grants.map((grant_type) => ({ ...right, grant_type })),
    without(right, 'client_secret'),
    ...secrets.map((client_secret) => ({ ...right, client_secret })),
    without(right, 'client_id'),
    ...ids.map((client_id) => ({ ...right, client_id })),
    { ...right, client_id: '', client_secret: '' },
    { ...fieldsOf(otherCredentials), client_secret: secret },
    // What is wrong with a later answer alone.
    right,
    right,
  ];
  return requests.map(tokenRequest);
}

function queriesFor(records: number): readonly string[] {
  const sizes = [1, 2, 3, 7, 10, 64, 99, 100, 128, 250, 256, 300, 499, 500].flatMap((size) => {
    // The first page, a linked page, one far in, and the ends.
    const skips = [0, size, 2 * size, 3 * size, 400, 500, 700, 776, 800, 896, 1000];
    const ends = [
      records - 1,
      records - 2,
      records - size,
      records - (records % size),
      1023,
      32_767,
      10_000,
      10_500,
    ];
    const places = [...new Set([...skips, ...ends])].filter((skip) => skip >= 0 && skip <= records);
    return [`?$pagesize=${size}`, ...places.map((skip) => `?$count=true&$pagesize=${size}&$skip=${skip}`)];
  });
  return [
    '',
    '?$count=true',
    '?$count=false&$pagesize=3',
    '?$count=true&$skip=500',
    '?%24count=true',
    '?%24pagesize=3',
    '?%24count=true&%24pagesize=3',
    '?$count=true&%24pagesize=3',
    '?$skip=3&$pagesize=3&$count=true',
    '?$skip=3&$pagesize=3',
    '?$skip=1&$pagesize=600',
    '?$pagesize=',
    '?$pagesize=2.5',
    '?$pagesize=1&$pagesize=1000',
    '?%24count=true&$pagesize=3',
    ...['501', '800', '1000', '0', '-1', 'x', '2147483648', '18446744073709551616'].flatMap((size) => [
      `?$pagesize=${size}`,
      `?$count=true&$pagesize=${size}`,
      `?%24pagesize=${size}`,
    ]),
    ...sizes,
  ];
}

function listProbes(mock: Mock, token: string, records: number): readonly Sent[] {
  return queriesFor(records).map((query) => listRequest(mock, token, query));
}

function gateProbes(mock: Mock, token: string, records: number): readonly Sent[] {
  const queries = ['', '?$count=true', '?$pagesize=2', '?%24pagesize=2', '?$pagesize=1'];
  const linked = [2, 4, 500, 900, 1000, records - 2].map((skip) => `?$count=true&$pagesize=2&$skip=${skip}`);
  const keyed = `?$count=true&$pagesize=2&$skip=2&key=${2 * 7919}`;
  const open = [...queries, ...linked, keyed].map((query) => ({ target: `/v1/printers${query}` }));
  const paths = [
    '/v1/printers/',
    '/v1//printers',
    '/V1/PRINTERS',
    '/v1/%70rinters',
    '/v1/./printers',
    '/%761/%70rinters',
    '/connect/../v1/printers',
  ];
  const shown = linked.concat(queries).map((query) => listRequest(mock, token, query));
  return [...open, ...paths.map((target) => ({ target })), ...shown, ...open];
}

function swapFirst(text: string): string {
  return (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
}

function middleSwapped(text: string): string {
  const middle = Math.floor(text.length / 2);
  return text.slice(0, middle) + swapFirst(text.slice(middle));
}

/** A token of our own making whose header carries the key to verify it with. */
function withCarriedKey(payload: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = publicKey.export({ format: 'jwk' });
  const carrying = Buffer.from(JSON.stringify({ alg: 'ES256', jwk })).toString('base64url');
  const text = `${carrying}.${payload}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

function useProbes(mock: Mock, token: string): readonly Sent[] {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const none = Buffer.from('{"alg":"none"}').toString('base64url');
  const edited = Buffer.from(JSON.stringify({ exp: 9e9, scope: 'more' })).toString('base64url');
  const texts = [
    'anything',
    'x'.repeat(token.length),
    swapCase(token),
    `${token}x`,
    `${token}.x`,
    token.slice(0, -1),
    swapFirst(token),
    middleSwapped(token),
    token.slice(0, -9) + swapFirst(token.slice(-9)),
    `${none}.${payload}.`,
    `${header}.${payload}.`,
    `${none}.${payload}.${signature}`,
    `${header}.${edited}.${signature}`,
    `${header}.${payload}.${swapFirst(signature)}`,
    `${header}.${payload}.${middleSwapped(signature)}`,
  ];
  const values = [
    ...texts.map((text) => `Bearer ${text}`),
    `Basic ${token}`,
    `Token ${token}`,
    `NotBearer ${token}`,
    `Bearers ${token}`,
    `Digest ${token}`,
    `MAC ${token}`,
    `Bearer ${withCarriedKey(payload)}`,
    token,
    `Bearer${token}`,
    'Bearer',
  ];
  const { target } = listRequest(mock, token, '?$pagesize=2');
  return [
    listRequest(mock, token, '?$pagesize=2'),
    listRequest(mock, token, '?$pagesize=2'),
    ...values.map((Authorization) => ({ target, headers: { Authorization } })),
    { target, headers: { Authorization: ['Basic eDp5', token] } },
    { target, headers: { Authorization: ['Bearer', token] } },
    { target: `${target}&access_token=${token}` },
    { target: `${target}&jwt=${token}` },
    { target: `${target}&$count=true`, headers: { Authorization: `Token ${token}` } },
    { target: `${target}&$skip=2`, headers: { Authorization: 'Bearer anything' } },
    { target, headers: { 'X-API-Key': token } },
    { target, headers: { Cookie: 'sid=of-a-session' } },
    { target, headers: { Cookie: `access_token=${token}` } },
    { ...tokenRequest({ access_token: token }), method: 'GET', target },
  ];
}

/** The part of a requirement's identifier before the slash decides which requests are sent. */
function probesFor(chapter: string, mock: Mock, token: string, records: number): readonly Sent[] {
  if (chapter === 'token') return tokenProbes();
  if (chapter !== 'authorization') return listProbes(mock, token, records);
  return [...useProbes(mock, token), ...gateProbes(mock, token, records)];
}

const tokenText = /(?:[\w-]+\.[\w-]+\.[\w-]*|[\w-]{43})/g;

/** What came back, without what differs between any two providers. */
async function answer(mock: Mock, sent: Sent): Promise<string> {
  const got = await send(mock, sent);
  const text = got.text.replaceAll(mock.authUrl.slice(5), '//PROVIDER').replace(tokenText, 'TOKEN');
  return `${got.status} ${text}`;
}

/** The first request that two providers answer differently, or undefined when there is none. */
export async function firstDifference(
  chapter: string,
  one: Mock,
  other: Mock,
  records: number,
): Promise<string | undefined> {
  const [oneToken, otherToken] = [await tokenOf(one), await tokenOf(other).catch(() => '')];
  if (otherToken === 'undefined' || otherToken === '') return 'no token';
  const oneProbes = probesFor(chapter, one, oneToken, records);
  const otherProbes = probesFor(chapter, other, otherToken, records);
  for (const [index, sent] of oneProbes.entries()) {
    const twin = otherProbes[index];
    if (twin === undefined) continue;
    if ((await answer(one, sent)) !== (await answer(other, twin))) return sent.target;
  }
  return undefined;
}
