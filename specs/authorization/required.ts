import type { Arbitrary } from 'fast-check';
import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext, Property } from '../../src/judge/context.ts';
import {
  expectNoOpening,
  expectOpenToToken,
  expectRefusal,
  unsharedTarget,
} from '../../src/judge/list-refusals.ts';
import { shareOf } from '../../src/judge/rotation.ts';
import { explainingSharedCache } from '../../src/judge/shared-cache.ts';
import { pathSpellings } from '../../src/provider/path-spellings.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';

/** Queries that other checks send with the token. */
const SHARED_QUERIES = ['', '?$count=true', '?$pagesize=1'];

export const authorizationRequired = requirement({
  id: 'authorization/required',
  clause: ['5.1'],
  smoke: true,
  rule: prose`A list call without an Authorization header gives no records: for any query, any spelling of the path
      (trailing or doubled slash, other letter case, encoded letters, dot segments), and right after any call with a
      token.`,
  needs: null,
  tested: prose`Leaves out the header on the bare list call, with different queries, and with other spellings of the
      path, some of which full runs draw by their seed (certify sends all: other letter case in each path segment and in all at
      once, and more). Some of these calls come right after the same URL was requested
      with a token. If an answer set cookies, a call with these cookies is made as well. Looks in the answers for
      items that resemble the records of the list. A list that another check found open is tried again, and reported
      if it is open twice. Refusals may have any form: 400, 401, 403, 404, a redirect to a login, a list of errors.`,
  breach: 'An answer to a call without the header contains records.',
  causes: prose`Authentication attached to a route pattern, while the router also matches other spellings (a rule for
      /v1/printers that misses /v1/printers/ or /V1/printers); a gateway that checks tokens in front of a service that
      is open; a response cache keyed by URL alone that serves the next caller; [AllowAnonymous], permitAll or a
      missing middleware on a new controller.`,
  fix: prose`Deny by default: check before routing, for every path and method, and exempt single routes on purpose.
      Keep authorised answers out of shared caches (Vary: Authorization or no-store).`,
  judge: async (context) => {
    await expectOpenToToken(context);
    await explainingSharedCache(context, () =>
      context.property(targetsWithoutToken(context), async (snapshot, target) => {
        await requestWithToken(snapshot, target);
        await expectRefusal(context, {
          key: target,
          asked: `of ${target} without an Authorization header`,
          call: { target, authorization: null },
          openList: false,
        });
      }),
    );
    await expectCookiesRefused(context);
    context.afterAllChecks(() => expectNoOpening(context));
  },
});

/** Request targets of the list that are requested without a token. */
function targetsWithoutToken(context: CheckContext): Property<string> {
  const { list, options } = context;
  const { suite } = options;
  const { usual, further } = pathSpellings(list.place);
  const spellings = [...usual, ...shareOf(context, further, 1)];
  const [first = '', second = '', ...others] = SHARED_QUERIES;
  return {
    sample: 'unauthorized',
    atRest: false,
    // Not awaited: the first calls do not depend on it.
    prepare: async (snapshot, target) => void requestWithToken(snapshot, target).catch(() => undefined),
    // Some queries come last, after each connection has carried a token: a gate may remember connections.
    examples: [
      list.path + first,
      list.path + second,
      ...(suite === 'smoke' ? spellings.slice(0, 1) : spellings),
      ...others.map((query) => list.path + query),
      ...(suite === 'smoke' ? [] : [`${list.path}?%24count=true&%24pagesize=3`, unsharedTarget(context)]),
    ],
    runs: { smoke: 0, full: 0, certify: 5 }[suite],
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
  };
}

/** Requests the same target with the token first, to detect a cache that serves one caller's answer to the next. */
async function requestWithToken(snapshot: Snapshot, target: string): Promise<void> {
  if (SHARED_QUERIES.some((query) => snapshot.client.path + query === target)) await snapshot.at(target);
}

async function expectCookiesRefused(context: CheckContext): Promise<void> {
  const plain = await context.snapshot.first({});
  const cookies = plain.kind === 'page' ? plain.cookies : '';
  if (context.options.suite === 'smoke' || cookies === '') return;
  await context.confirm({ atRest: false }, () =>
    expectRefusal(context, {
      key: 'cookies',
      asked: 'with the cookies that an answer had set, and without an Authorization header',
      call: { authorization: null, headers: [['Cookie', cookies]] },
      openList: false,
    }),
  );
}
