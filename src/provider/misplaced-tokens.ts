import type { Credentials } from '../target/target.ts';
import { type CallOptions, ON_NEW_CONNECTION } from './sender.ts';

/** A list call that carries a token or the client's credentials, but not as `Authorization: Bearer <token>`. */
export interface MisplacedToken {
  /** What the call carries and where, to follow "a list call". */
  readonly carrying: string;
  readonly call: CallOptions;
  /** The request target that must be refused without any token; the list path if left out. */
  readonly closed?: string;
  /** For a call that carries it in several places: a call for each of them. */
  readonly parts?: readonly MisplacedToken[];
}

/** What a call carries that has the token alone in its Authorization header. */
export const WITHOUT_SCHEME = 'with the token without a scheme';

// Names under which providers have accepted tokens, the most frequent first.
const PARAMETERS = [
  'token=',
  'Authorization=Bearer%20',
  'jwt=',
  'api_key=',
  'auth=',
  'bearer_token=',
  'auth_token=',
  'apikey=',
  'key=',
  'accessToken=',
  'oauth_token=',
  'bearer=',
  'id_token=',
  'sid=',
  'api_token=',
  'authorization=',
];

const COOKIES = [
  'access_token=',
  'token=',
  'Authorization=Bearer%20',
  'jwt=',
  'session=',
  'auth=',
  'access_token_cookie=',
  'id_token=',
  'Bearer=',
  'sid=',
  'auth_token=',
  'connect.sid=',
  'JSESSIONID=',
];

const HEADERS = [
  ['Proxy-Authorization', 'Bearer '],
  ['X-Access-Token', ''],
  ['X-API-Key', ''],
  ['X-Auth-Token', ''],
  ['X-Authorization', 'Bearer '],
  ['X-Forwarded-Authorization', 'Bearer '],
  ['Token', ''],
  ['X-Token', ''],
  ['Access-Token', ''],
  ['Authentication', 'Bearer '],
  ['Auth-Token', ''],
  ['X-Bearer-Token', ''],
  ['X-Id-Token', ''],
  ['X-Session-Token', ''],
  ['X-Original-Authorization', 'Bearer '],
  // Browsers cannot set other headers when they open a websocket.
  ['Sec-WebSocket-Protocol', 'bearer, '],
] as const;

/** Names of a kind that every run uses at most, if not all fit into a call. */
const ALWAYS_USED = 6;
/** Other names that the seed decides at least, if as many fit beside as many that every run uses. */
const MIN_DRAWN = 2;

/** Characters that copies of a token may take in one place: servers refuse longer lines for their length alone. */
const MAX_COPIED_CHARACTERS = 4000;

/** Which of the calls to make, and with which names. */
interface MisplacedChoice {
  /** A linked page. */
  readonly linked: string;
  readonly seed: number;
  /** Whether to use every name. */
  readonly isComplete: boolean;
  /** Characters of the text that is copied most. */
  readonly length: number;
  /** Names of headers that every call has, in lower case: a gateway may need them as they are. */
  readonly usedHeaders: readonly string[];
}

/** The calls that a provider must refuse although they carry a token that it issued (5.1): those that break most providers. */
export function misplacedTokens(
  path: string,
  token: string,
  { linked, isComplete, ...choice }: MisplacedChoice,
): readonly MisplacedToken[] {
  const parameter = `access_token=${encodeURIComponent(token)}`;
  return [
    underScheme('Basic', token),
    underScheme('Token', token),
    // Accepted if the scheme is searched for in the header, and if its beginning is compared.
    underScheme('NotBearer', token),
    underScheme('Bearers', token),
    // As long as Bearer: accepted if a fixed number of characters is cut off.
    underScheme('Digest', token),
    // Of three letters.
    underScheme('JWT', token),
    { carrying: WITHOUT_SCHEME, call: { authorization: token } },
    // Neither header is valid. A server that joins them, or reads only the last one, may accept them.
    misplaced('in a second Authorization header, without a scheme', {
      authorization: 'Bearer',
      headers: [['Authorization', token]],
    }),
    misplaced('without a space after the scheme', { authorization: `Bearer${token}` }),
    misplaced('as the user name of HTTP Basic', { authorization: `Basic ${basicPair(token, '')}` }),
    // Without other parameters: a provider may refuse the call because of those.
    misplaced('in the query as access_token', { target: `${path}?${parameter}` }),
    {
      ...misplaced('in the query of a linked page as access_token', { target: `${linked}&${parameter}` }),
      closed: linked,
    },
    ...inManyPlaces(path, token, choice).slice(0, isComplete ? undefined : 1),
    // Over a connection of its own: a server that does not read the body takes it for the beginning of the next request.
    misplaced('in a form body', {
      headers: [['Content-Type', 'application/x-www-form-urlencoded'], ...ON_NEW_CONNECTION.headers],
      body: parameter,
    }),
  ];
}

/** Schemes that few products use, and the number of letters of others. */
const RARE_SCHEMES = ['DPoP', 'Key', 'MAC', 'Api-Key', 'Session', 'X', 'Bear'];

/** Further such calls, too many for every run, and those that few providers answer with records. */
export function otherwiseMisplacedTokens(
  path: string,
  token: string,
  { clientId, clientSecret }: Credentials,
): { readonly further: readonly MisplacedToken[]; readonly rare: readonly MisplacedToken[] } {
  const basic = (carrying: string, id: string, secret: string): MisplacedToken => ({
    carrying,
    call: { authorization: `Basic ${basicPair(id, secret)}` },
  });
  const further = [
    basic('with client_id and client_secret by HTTP Basic', clientId, clientSecret),
    underScheme('OAuth', token),
    misplaced('under the scheme Digest, in the first of two Authorization headers', {
      authorization: `Digest ${token}`,
      headers: [['Authorization', 'Bearer']],
    }),
    misplaced('after "Bearer:"', { authorization: `Bearer:${token}` }),
    misplaced('after "Bearer:" and a space', { authorization: `Bearer: ${token}` }),
    underScheme('ApiKey', token),
    misplaced('in quotation marks', { authorization: `Bearer "${token}"` }),
    basic('with the token as the password of HTTP Basic', clientId, token),
    misplaced('after "Bearer="', { authorization: `Bearer=${token}` }),
    // The query may win over the header.
    misplaced('in the query as access_token, beside an unknown token in the Authorization header', {
      target: `${path}?access_token=${encodeURIComponent(token)}`,
      authorization: 'Bearer none',
    }),
  ];
  const rare = [
    ...RARE_SCHEMES.map((scheme) => underScheme(scheme, token)),
    misplaced('in a path parameter', { target: `${path};access_token=${encodeURIComponent(token)}` }),
    // Over a connection of its own, as the form.
    misplaced('in a JSON body', {
      headers: [['Content-Type', 'application/json'], ...ON_NEW_CONNECTION.headers],
      body: JSON.stringify({ access_token: token }),
    }),
  ];
  return { further, rare };
}

export function basicPair(name: string, password: string): string {
  return Buffer.from(`${name}:${password}`).toString('base64');
}

export function underScheme(scheme: string, token: string): MisplacedToken {
  return misplaced(`under the scheme ${scheme}`, { authorization: `${scheme} ${token}` });
}

/** Calls that have the token under many names, which together use every name; the seed decides which is the first. */
function inManyPlaces(
  path: string,
  token: string,
  { seed, length, usedHeaders }: Pick<MisplacedChoice, 'seed' | 'length' | 'usedHeaders'>,
): readonly MisplacedToken[] {
  const freeHeaders = HEADERS.filter(([name]) => !usedHeaders.includes(name.toLowerCase()));
  const copies = Math.max(3, Math.floor(MAX_COPIED_CHARACTERS / length));
  const drawn = Math.min(MIN_DRAWN, Math.floor(copies / 2));
  const kept = Math.min(ALWAYS_USED, copies - drawn);
  const calls = Math.max(
    ...[PARAMETERS, COOKIES, HEADERS].map(({ length }) => Math.ceil((length - kept) / (copies - kept))),
  );
  return Array.from({ length: copies >= PARAMETERS.length ? 1 : calls }, (_none, call) => {
    const chosen = <Name>(names: readonly Name[]): readonly Name[] => {
      if (copies >= names.length) return names;
      const [first, others] = [names.slice(0, kept), names.slice(kept)];
      const start = (((seed >>> 0) + call) * (copies - kept)) % others.length;
      return [...first, ...others.slice(start), ...others.slice(0, start)].slice(0, copies);
    };
    return inPlaces(path, token, {
      parameters: chosen(PARAMETERS),
      cookies: chosen(COOKIES),
      headers: chosen(freeHeaders),
      which: call === 0 ? '' : `, under further names (${call})`,
    });
  });
}

interface Places {
  readonly parameters: readonly string[];
  readonly cookies: readonly string[];
  readonly headers: readonly (readonly [name: string, scheme: string])[];
  /** Which names these are, at the end of a sentence. */
  readonly which: string;
}

function inPlaces(path: string, token: string, places: Places): MisplacedToken {
  const encoded = encodeURIComponent(token);
  const parameters = places.parameters.map(
    (start) => [start.split('=', 1)[0] ?? '', start + encoded] as const,
  );
  const cookies = places.cookies.map((name) => name + encoded);
  const cookie = ['Cookie', cookies.join('; ')] as const;
  const headers = places.headers.map(([name, scheme]) => [name, `${scheme}${token}`] as const);
  return {
    ...misplaced(`in the query, in cookies and in other headers${places.which}`, {
      target: `${path}?${parameters.map(([, pair]) => pair).join('&')}`,
      headers: [cookie, ...headers],
    }),
    parts: [
      misplaced('in a cookie', { headers: [cookie] }),
      ...headers.map((header) => misplaced(`in the header ${header[0]}`, { headers: [header] })),
      ...parameters.map(([name, pair]) =>
        misplaced(`in the query as ${name}`, { target: `${path}?${pair}` }),
      ),
    ],
  };
}

function misplaced(where: string, call: Partial<CallOptions>): MisplacedToken {
  return { carrying: `with the token ${where}`, call: { authorization: null, ...call } };
}
