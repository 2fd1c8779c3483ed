import type { Header } from '../../src/core/exchange.ts';
import { packageVersion } from '../../src/core/package-file.ts';
import { requirement } from '../../src/judge/check.ts';
import { type CheckContext, type Property, shareOf } from '../../src/judge/context.ts';
import { drawnQuery, listQueries } from '../../src/judge/probes/drawn-query.ts';
import { type ListProbe, refusedListCalls } from '../../src/judge/rules/refused-list-calls.ts';
import { cookiesOf } from '../../src/provider/page.ts';
import { pathSpellings } from '../../src/provider/path-spellings.ts';
import { type CallOptions, OVER_KEPT_CONNECTION } from '../../src/provider/sender.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';
import { hasLongCookie } from '../../src/provider/token-mask.ts';

/** Queries that other checks send with the token: a cache may hold their answers. */
const SHARED_QUERIES = ['', '?$count=true'];

/** A query of every run except smoke, sent over the connection of the token requests: a gate may remember who called over it. */
const QUERY_AFTER_TOKEN_REQUESTS = '?%24count=true&%24pagesize=3&%24skip=1';

/** Further queries of every run. */
const FIXED_QUERIES = [
  '?$pagesize=1',
  // A provider may refuse this call for its parameters, but must not answer it with records.
  '?$count=false&$pagesize=501&$skip=1',
];

/** The query of the call that claims an address of a private network. Other checks send it with the token. */
const INTERNAL_CALLER_QUERY = '?$count=true&$pagesize=1';

/** Queries that some providers handle in separate code, perhaps before they check the token. */
const UNUSUAL_QUERIES = [
  '?$pagesize=0',
  '?$pagesize=1000',
  '?$pagesize=abc',
  '?$pagesize=3&$skip=6',
  '?$pagesize=-1',
  '?$skip=2',
  '?$skip=-1',
  '?$count=maybe',
  // A rule that exempts paths may match the query.
  '?$pagesize=2&x=/connect/token',
];

/** Queries that bypass the token check on few providers. */
const RARE_QUERIES = [
  '?$count=true&$count=true',
  '?$pagesize=2&$pagesize=3',
  '?$pagesize=2&x=%',
  '?$pagesize=2&format=json',
  '?$pagesize=2&x=.js',
  // An empty query; a gate may read it as part of the path.
  '?',
  `?$pagesize=2&x=${'assay-'.repeat(200)}`,
];

/** Unusual queries that a full run draws. */
const UNUSUAL_SHARE = 2;

/** Further spellings of the path that a full run draws. */
const FURTHER_SPELLINGS = 2;

export const authorizationRequired = requirement({
  id: 'authorization/required',
  clause: ['5.1'],
  smoke: true,
  rule: `A list call without an Authorization header gives no records: for any query, any spelling of the path
      (trailing or doubled slash, other letter case, encoded letters, dot segments), and right after any call with a
      token.`,
  leastRecords: 1,
  tested: `Calls the list without the header: with and without queries, with other spellings of the path (full draws
      some by the seed, certify sends all), and right after the same URL was requested with a token. Two calls have
      headers of internal callers, such as X-Forwarded-For with a local or private address; some have the cookies of an
      earlier page or token answer, if there are any; one is sent over the connection of the token requests; in certify
      and in every second full run, one while the same call with a token is answered. A call breaks the rule
      if its answer holds items that resemble the records of the list. A refusal may have any form: 400, 401, 403,
      404, a redirect to a login, a list of errors; a redirect within the provider is followed, without a token, too. If
      another check found the list open, repeats that call and reports the rate.`,
  breach: 'An answer to a call without the header contains records.',
  causes: `Authentication attached to a route pattern, while the router also matches other spellings (a rule for
      /v1/printers that misses /v1/printers/ or /V1/printers); a gateway that checks tokens in front of a service that
      is open; a response cache keyed by URL alone that serves the next caller; [AllowAnonymous], permitAll or a
      missing middleware on a new controller.`,
  fix: `Deny by default: check before routing, for every path and method, and exempt single routes on purpose.
      Keep authorised answers out of shared caches (Vary: Authorization or no-store).`,
  judge: refusedListCalls(
    async function* (context) {
      yield callsWithoutToken(context);
      yield await callsWithCookies(context);
    },
    { includesCallsOfOtherChecks: true },
  ),
});

function callsWithoutToken(context: CheckContext): Property<ListProbe> {
  const { list, options } = context;
  const { suite } = options;
  const { usual, further, rare } = pathSpellings(list.address);
  const spellings = [...usual, ...shareOf(context, further, FURTHER_SPELLINGS)];
  const rareSpellings = suite === 'certify' ? inTurn(context, rare) : [];
  return {
    sample: 'unauthorized',
    atRest: false,
    // Not awaited: the first calls do not depend on it.
    prepare: async (snapshot, { before }) => void before?.(snapshot).catch(() => undefined),
    // The drawn queries come last, after each connection has carried a token: a gate may remember connections.
    examples: [
      ...SHARED_QUERIES.map((query) => list.path + query),
      ...(suite === 'smoke' ? spellings.slice(0, 1) : queriedInTurn(context, spellings)),
      ...rareSpellings,
      ...(suite === 'smoke' ? FIXED_QUERIES.slice(0, 1) : FIXED_QUERIES).map((query) => list.path + query),
      ...shareOf(context, UNUSUAL_QUERIES, UNUSUAL_SHARE, RARE_QUERIES).map((query) => list.path + query),
    ]
      .map((target) => withoutToken(target, context))
      .concat(
        suite === 'smoke'
          ? []
          : [
              callWith(
                list.path + QUERY_AFTER_TOKEN_REQUESTS,
                OVER_KEPT_CONNECTION,
                'over the connection of the token requests',
              ),
              ...callsOfInternalCallers(context),
              ...callsDuringOthers(context),
            ],
      ),
    runs: { smoke: 0, full: 1, certify: 5 }[suite],
    arbitrary: (fastCheck) => listQueries(fastCheck).map((query) => withoutToken(`${list.path}?${query}`)),
  };
}

/** Adds a query to half of the paths, and with the next seed to the other half: a rule for paths may match the query, too. */
function inTurn(context: CheckContext, paths: readonly string[]): readonly string[] {
  return paths.map((path, index) =>
    (index + context.options.seed) % 2 === 0 ? path : queried(context, path),
  );
}

/** The paths with and without a query in `certify`, otherwise in turn. */
function queriedInTurn(context: CheckContext, paths: readonly string[]): readonly string[] {
  if (context.options.suite !== 'certify') return inTurn(context, paths);
  return [...paths, ...paths.map((path) => queried(context, path))];
}

function queried(context: CheckContext, path: string): string {
  return path + drawnQuery(context, `query of ${path}`);
}

/**
 * Headers of callers in the provider's own network and of its web pages. A server may require no token from them.
 *
 * @param origin that of the provider
 */
function internalCallerHeaders(address: string, origin: string): readonly Header[] {
  return [
    ['X-Forwarded-For', address],
    ['X-Real-IP', address],
    ['Forwarded', `for=${address}`],
    ['X-Forwarded-Host', 'localhost'],
    // A gateway sets these for callers that it has authenticated.
    ['X-Forwarded-User', 'assay'],
    ['X-Remote-User', 'assay'],
    ['X-Internal', 'true'],
    // Begins as in every other request, so that the provider's log shows the sender.
    ['User-Agent', `assay/${packageVersion()} kube-probe/1.30`],
    ['Origin', origin],
    ['Referer', `${origin}/`],
    ['X-Requested-With', 'XMLHttpRequest'],
  ];
}

/**
 * Headers of callers that are not clients of the API: none, the Accept header of a browser, and headers that some gates
 * read instead of the method and the path.
 */
const FOREIGN_HEADERS: readonly (readonly Header[])[] = [
  [],
  [['Accept', 'text/html']],
  [
    ['Accept', 'application/xml'],
    // A provider may have a tenant that is open to visitors.
    ['Tenant', 'demo'],
  ],
  [['X-HTTP-Method-Override', 'OPTIONS']],
  [['X-Original-URL', '/health']],
  [['Access-Control-Request-Method', 'GET']],
  // A call for what has changed since, or for a part.
  [
    ['If-None-Match', '"assay"'],
    ['If-Modified-Since', 'Thu, 01 Jan 2026 00:00:00 GMT'],
    ['Range', 'bytes=0-'],
  ],
];

/** Calls of machines in the provider's network: some without the headers of a client of the API, and a usual one. */
function callsOfInternalCallers(context: CheckContext): readonly ListProbe[] {
  const { path, address } = context.list;
  const [drawn, fixed] = [path + drawnQuery(context, 'no client'), path + INTERNAL_CALLER_QUERY];
  // Caches may keep compressed answers apart from others.
  const local: readonly Header[] = [
    ...internalCallerHeaders('127.0.0.1', address.origin),
    ['Accept-Encoding', 'identity'],
  ];
  const usual: readonly Header[] = [...internalCallerHeaders('10.0.0.1', address.origin), ['Accept', '*/*']];
  const foreign = shareOf(context, FOREIGN_HEADERS, 1).map((headers) => [...headers, ...local]);
  const rewritten: readonly Header[] = [
    ['X-Original-URL', path],
    ['X-Rewrite-URL', path],
  ];
  const root = `${address.basePath}/`;
  return [
    ...(context.options.suite === 'certify'
      ? [callWith(root, { headers: rewritten }, `with ${printHeaders(rewritten)}`)]
      : []),
    ...foreign.map((headers) => ({
      ...callWith(
        drawn,
        { omittedHeaders: ['tenant', 'accept'], headers },
        `without the usual Tenant and Accept, and with ${printHeaders(headers)}`,
      ),
      parts: [
        callWith(drawn, { omittedHeaders: ['tenant'] }, 'without a Tenant header'),
        callWith(drawn, { omittedHeaders: ['accept'] }, 'without an Accept header'),
        ...callsWithEach(drawn, headers),
      ],
    })),
    {
      ...callWith(fixed, { omittedHeaders: ['accept'], headers: usual }, `with ${printHeaders(usual)}`),
      parts: [withoutToken(fixed), ...callsWithEach(fixed, usual)],
      // A cache may hold small answers only, and none before its second use.
      before: (snapshot) => snapshot.memo.once(requestTwice, snapshot, fixed),
    },
  ];
}

/** Calls while the same call with a token is answered: a server that answers equal calls together may check the first one only. */
function callsDuringOthers(context: CheckContext): readonly ListProbe[] {
  const { suite, seed } = context.options;
  // In every second full run.
  const calls = { smoke: 0, full: Math.abs(seed % 2), certify: 2 }[suite];
  return Array.from({ length: calls }, (_none, index) => {
    const target = context.list.path + drawnQuery(context, `call ${index} in progress`);
    return { ...callWith(target, {}, 'during the same call with a token'), isDuringSame: true };
  });
}

/** Requests a page twice with the token of the run. */
async function requestTwice(snapshot: Snapshot, target: string): Promise<void> {
  await snapshot.at(target);
  await snapshot.client.authorized(target);
}

/** A call without a token that differs in its headers, which replace those of the target file. */
function callWith(target: string, options: Partial<CallOptions>, how: string): ListProbe {
  const replaced = (options.headers ?? []).map(([name]) => name.toLowerCase());
  const omittedHeaders = [...(options.omittedHeaders ?? []), ...replaced];
  return {
    key: how,
    description: `of ${target} without an Authorization header, ${how}`,
    call: { target, authorization: null, ...options, omittedHeaders },
    mayListBeOpen: false,
    before: async () => undefined,
  };
}

/** A call with each of the headers alone. */
function callsWithEach(target: string, headers: readonly Header[]): readonly ListProbe[] {
  return headers.map((header) => callWith(target, { headers: [header] }, `with ${printHeaders([header])}`));
}

function printHeaders(headers: readonly Header[]): string {
  return headers.map((header) => header.join(': ')).join(', ');
}

function withoutToken(target: string, context: CheckContext | null = null): ListProbe {
  return {
    key: target,
    description: `of ${target} without an Authorization header`,
    call: { target, authorization: null },
    mayListBeOpen: false,
    // To detect a cache that serves one caller's answer to the next.
    before: async (snapshot) => {
      const { path } = snapshot.client;
      if (SHARED_QUERIES.some((query) => path + query === target)) await snapshot.at(target);
      // Not noted as a call of the run: a provider need not serve this path.
      if (context?.options.suite === 'certify' && target === `${path}/`)
        await context.list.call({ target, authorization: `Bearer ${await context.tokens.bearer()}` });
    },
  };
}

/**
 * Calls with the cookies that a page had set, and with the long ones of a token answer, which a client sends to the list as
 * well if both have one host; none in `smoke`.
 */
async function callsWithCookies({
  snapshot,
  tokens,
  options,
  target,
}: CheckContext): Promise<readonly ListProbe[]> {
  if (options.suite === 'smoke') return [];
  const plain = await snapshot.first({});
  const { exchange } = await tokens.issued();
  const hasOneHost = new URL(target.authUrl).hostname === new URL(target.baseUrl).hostname;
  const found = [
    ['an answer', plain.kind === 'page' ? plain.cookies : ''],
    ['a token answer', hasOneHost ? cookiesOf((exchange.answer?.headers ?? []).filter(hasLongCookie)) : ''],
  ] as const;
  return found
    .filter(([, cookies]) => cookies !== '')
    .map(([of, cookies]) => ({
      key: `cookies of ${of}`,
      description: `with the cookies that ${of} had set, and without an Authorization header`,
      call: { authorization: null, headers: [['Cookie', cookies]] },
      mayListBeOpen: false,
      // A call with the token may set other cookies.
      before: async () => undefined,
    }));
}
