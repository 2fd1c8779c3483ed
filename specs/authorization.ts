import type { Arbitrary } from 'fast-check';
import { judgeAccepted } from '../src/judge/accepted.ts';
import {
  expectNoOpening,
  expectOpenToToken,
  expectRefusal,
  expectRefusalAgain,
  expectRefusals,
  type Intrusion,
  withLiveToken,
} from '../src/judge/access.ts';
import { check } from '../src/judge/check.ts';
import type { CheckContext } from '../src/judge/context.ts';
import { wholeWalks } from '../src/judge/evidence.ts';
import { forgeriesOf } from '../src/judge/forgeries.ts';
import { spellings } from '../src/judge/spellings.ts';
import { cutShort } from '../src/judge/walks.ts';
import type { View } from '../src/provider/view.ts';
import type { Walk } from '../src/provider/walk.ts';

/** Links whose pages are asked for without a token, at most; beyond that the first, the last and drawn ones. */
const MOST_LINKS = 100;

/** Chapter authorization: the token on every call (5). */
export const authorization = [
  check('authorization/accepted', judgeAccepted),

  check('authorization/required', async (context) => {
    await expectOpenToToken(context);
    const { property, list } = context;
    const smoke = context.options.suite === 'smoke';
    // Those that other checks ask with the token anyway come first.
    const shared = ['', '?$count=true', '?$pagesize=1'];
    const queries = smoke ? shared : [...shared, '?%24count=true&%24pagesize=3'];
    // Some come last, when each connection has carried a token: a gate that remembers those shows on whichever is taken.
    const asked = queries.map((query) => list.path + query);
    const paths = spellings(list.place, context.options.suite === 'certify').slice(0, smoke ? 1 : undefined);
    // The same address is asked for with a token first: a cache that forgets whose answer it holds shows then.
    const withToken = async (view: View, target: string): Promise<void> => {
      if (shared.some((query) => list.path + query === target)) await view.at(target);
    };
    await property<string>(
      {
        sample: 'unauthorized',
        atRest: false,
        // Set going, not waited for: the first calls need none of it.
        prepare: async (view, target) => void withToken(view, target).catch(() => undefined),
        examples: [...asked.slice(0, 2), ...paths, ...asked.slice(2)],
        runs: context.options.suite === 'certify' ? 5 : 0,
        arbitrary: (fastCheck): Arbitrary<string> =>
          fastCheck
            .record({
              count: fastCheck.constantFrom('', '$count=true', '%24count=true', '$count=false'),
              size: fastCheck.oneof(
                fastCheck.constant(''),
                fastCheck.integer({ min: 1, max: 500 }).map((size) => `$pagesize=${size}`),
              ),
              further: fastCheck.constantFrom('$skip=0', '$skip=1', '$top=1', 'x=1'),
            })
            .map(
              ({ count, size, further }) =>
                `${list.path}?${[count, size, further].filter((part) => part !== '').join('&')}`,
            ),
      },
      async (view, target) => {
        await withToken(view, target);
        await expectRefusal(context, {
          key: target,
          asked: `of ${target} without an Authorization header`,
          call: { target, authorization: null },
          openList: false,
        });
      },
    );
    const plain = await context.view.first({});
    const cookies = plain.kind === 'page' ? plain.cookies : '';
    if (!smoke && cookies !== '')
      await context.settle({ atRest: false }, () =>
        expectRefusal(context, {
          key: 'cookies',
          asked: 'with the cookies that an answer had set, and without an Authorization header',
          call: { authorization: null, headers: [['Cookie', cookies]] },
          openList: false,
        }),
      );
    context.afterOthers(() => expectNoOpening(context));
  }),

  check('authorization/required-on-every-page', async (context) => {
    await expectOpenToToken(context);
    const walks = await wholeWalks(context, context.view);
    const targets = [...new Set(walks.flatMap(linkedTargets))];
    if (targets.length === 0) {
      const cause = walks.map(cutShort).find((cut) => cut !== null);
      if (cause != null) throw cause;
      return;
    }
    const intrusions = sampleOf(targets, context).map((target): Intrusion => {
      const place = `${targets.indexOf(target) + 1} of ${targets.length}`;
      return {
        key: target,
        asked: `of the linked page ${target} (${place}) without an Authorization header`,
        call: { target, authorization: null },
        openList: true,
      };
    });
    await expectRefusals(context, intrusions);
  }),

  check('authorization/scheme', async (context) => {
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
  }),

  check('authorization/token-integrity', async (context) => {
    await expectOpenToToken(context);
    const random = `${context.random('token').toString(36)}${context.random('token again').toString(36)}`;
    await withLiveToken(context, async (token) => {
      const label = context.tokens.labelOf(token);
      // A token of few characters may become one that was issued.
      const issued = new Set(context.tokens.rightAnswers().map((answer) => answer.token));
      const forgeries = forgeriesOf(token, random).filter((forgery) => !issued.has(forgery.token));
      const intrusions = forgeries.map((forgery, index): Intrusion => {
        if (forgery.token !== random)
          context.secrets.add(forgery.token, `${label} ${forgery.how}`, forgery.shell);
        return elsewhere(context, index, {
          key: forgery.how,
          asked: `with a token ${forgery.how}`,
          call: { authorization: forgery.authorization },
          openList: true,
        });
      });
      await expectRefusals(context, intrusions);
    });
  }),
];

/** The same of other calls of the list by turns: a gate may look at the token on some of them only. */
function elsewhere({ list }: CheckContext, index: number, intrusion: Intrusion): Intrusion {
  const query = ELSEWHERE[index % ELSEWHERE.length];
  if (query === undefined || query === '') return intrusion;
  return {
    ...intrusion,
    asked: `of ${list.path}${query} ${intrusion.asked}`,
    call: { ...intrusion.call, target: list.path + query },
  };
}

const ELSEWHERE = ['', '?$count=true', '?$count=true&$pagesize=1&$skip=1'];

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

// Every page of the main walk; of the others the last, and of long ones the middle: small pages far from the start.
function linkedTargets(walk: Walk): readonly string[] {
  const linked = walk.steps.slice(1).map((step) => step.page.target);
  if (walk.pageSize === null) return linked;
  return [linked.length > 4 ? linked[Math.floor(linked.length / 2)] : undefined, linked.at(-1)].filter(
    (target) => target !== undefined,
  );
}

function sampleOf(targets: readonly string[], context: CheckContext): readonly string[] {
  if (targets.length <= MOST_LINKS) return targets;
  const chosen = new Set([0, 1, 2, targets.length - 2, targets.length - 1]);
  for (let number = 0; chosen.size < MOST_LINKS; number++)
    chosen.add(context.random(`link ${number}`) % targets.length);
  return [...chosen].sort((one, other) => one - other).map((index) => targets[index] as string);
}
