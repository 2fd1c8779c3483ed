import { prose } from '../../src/core/prose.ts';
import {
  expectOpenToToken,
  expectRefusalAgain,
  type Intrusion,
  withLiveToken,
} from '../../src/judge/access.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { elsewhere } from '../../src/judge/rotated-queries.ts';

// Where tokens have been met, the likeliest first.
const PARAMETERS = ['token', 'authorization', 'api_key', 'auth', 'bearer_token', 'jwt'];

const COOKIES = ['access_token=', 'token=', 'Authorization=Bearer%20', 'jwt=', 'session=', 'auth='];

const HEADERS = [
  ['X-Access-Token', ''],
  ['X-Auth-Token', ''],
  ['X-Authorization', 'Bearer '],
  ['X-API-Key', ''],
  ['X-Forwarded-Authorization', 'Bearer '],
] as const;

/** Characters that copies of a token may take in one place: a longer line is refused for its length, whatever it holds. */
const MOST_COPIED = 4000;

export const authorizationScheme = requirement({
  id: 'authorization/scheme',
  clause: ['5.1'],
  smoke: false,
  rule: prose`The issued token is refused when it comes under another scheme, without a scheme, or anywhere else than
      in the Authorization header: in the query, in a form, in a cookie.`,
  needs: null,
  tested: prose`Sends the right token as Basic, Token and under schemes that only begin or end with Bearer, bare, in the
      query and in a form as access_token, and under the usual names in the query, in cookies and in other headers, and
      looks for records in the answers. Some of them go to other calls than the bare
      list call. Letter case of "Bearer" is only observed.`,
  breach: 'One of these requests obtains records.',
  causes: prose`A hand-written header parser that takes the last word, or everything after a fixed number of
      characters; frameworks that also read ?access_token= (a leftover from websocket support) or a session cookie;
      several authentication schemes combined where one was meant.`,
  fix: prose`Read the token from the Authorization header alone, after the scheme Bearer and one blank,
      and switch off every other place that the framework reads it from.`,
  judge: async (context) => {
    await expectOpenToToken(context);
    await withLiveToken(context, async (token) => {
      const label = context.tokens.labelOf(token);
      context.secrets.add(`Bearer${token}`, `${label} glued to its scheme`, 'Bearer${TOKEN}');
      await context.property<Intrusion>(
        {
          sample: 'scheme',
          atRest: false,
          examples: misplacements(context, token),
          runs: context.options.suite === 'certify' ? 10 : 0,
          arbitrary: (fastCheck) =>
            fastCheck
              .stringMatching(/^[A-Za-z][A-Za-z0-9]{1,11}$/)
              .filter((scheme) => scheme.toLowerCase() !== 'bearer')
              .map((scheme) => underScheme(scheme, token)),
        },
        (view, intrusion) => expectRefusalAgain(context, view, intrusion),
      );
    });
  },
});

function underScheme(scheme: string, token: string): Intrusion {
  return {
    key: scheme,
    asked: `with the token under the scheme ${scheme}`,
    call: { authorization: `${scheme} ${token}` },
    openList: true,
  };
}

function misplacements(context: CheckContext, token: string): readonly Intrusion[] {
  const { list } = context;
  const encoded = encodeURIComponent(token);
  const misplaced = (where: string, call: Partial<Intrusion['call']>): Intrusion => ({
    key: where,
    asked: `with the token ${where}`,
    call: { authorization: null, ...call },
    openList: true,
  });
  const room = Math.max(3, Math.floor(MOST_COPIED / encoded.length));
  const parameters = PARAMETERS.slice(0, room).map((name) => `${name}=${encoded}`);
  const cookies = COOKIES.slice(0, room).map((name) => name + encoded);
  const headers = HEADERS.slice(0, room).map(([name, scheme]) => [name, `${scheme}${token}`] as const);
  return [
    underScheme('Basic', token),
    elsewhere(context, 1, underScheme('Token', token)),
    // Found where the scheme is searched for in the header, and where it is compared by its beginning.
    elsewhere(context, 2, underScheme('NotBearer', token)),
    underScheme('Bearers', token),
    // As long as Bearer: cut off by its length where the scheme is not compared.
    underScheme('Digest', token),
    underScheme('MAC', token),
    misplaced('without a scheme', { authorization: token }),
    // Neither is right alone; joined, or the last one read, they may be taken for one that is.
    misplaced('in a second Authorization header, without a scheme', {
      authorization: 'Bearer',
      headers: [['Authorization', token]],
    }),
    misplaced('under the scheme Digest, in the first of two Authorization headers', {
      authorization: `Digest ${token}`,
      headers: [['Authorization', 'Bearer']],
    }),
    misplaced('glued to its scheme', { authorization: `Bearer${token}` }),
    // Alone: what else a query holds may be refused for itself.
    misplaced('in the query as access_token', { target: `${list.path}?access_token=${encoded}` }),
    {
      ...misplaced('in the query, in cookies and in other headers', {
        target: `${list.path}?${parameters.join('&')}`,
        headers: [['Cookie', cookies.join('; ')], ...headers],
      }),
      parts: [
        misplaced('in a cookie', { headers: [['Cookie', cookies.join('; ')]] }),
        ...headers.map((header) => misplaced(`in the header ${header[0]}`, { headers: [header] })),
        ...parameters.map((pair, index) =>
          misplaced(`in the query as ${PARAMETERS[index]}`, { target: `${list.path}?${pair}` }),
        ),
      ],
    },
    misplaced('in a form body', {
      headers: [['Content-Type', 'application/x-www-form-urlencoded']],
      body: `access_token=${encoded}`,
    }),
  ];
}
