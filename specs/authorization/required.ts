import type { Arbitrary } from 'fast-check';
import { prose } from '../../src/core/prose.ts';
import { expectNoOpening, expectOpenToToken, expectRefusal } from '../../src/judge/access.ts';
import { requirement } from '../../src/judge/check.ts';
import { spellings } from '../../src/judge/spellings.ts';
import type { View } from '../../src/provider/view.ts';

export const authorizationRequired = requirement({
  id: 'authorization/required',
  clause: ['5.1'],
  smoke: true,
  rule: prose`Without an Authorization header a list call gives no records: whatever its query, however its path is
      spelled (trailing or doubled slash, other letter case, encoded letters, dot segments), and whatever was
      asked with a token just before.`,
  needs: null,
  tested: prose`Leaves the header out on the bare list call, with different queries and with each other spelling of
      the path (for certify also with each part of it spelled otherwise), also right after the same URL was served to a
      token, and, where an answer set cookies, with these; looks in the answer for items that are like the records of the
      list. An open list is told where it shows twice, by whichever check.
      Refusals may have any form: 400, 401, 403, 404, a redirect to a login, a list of errors.`,
  breach: 'An answer without the header holds records.',
  causes: prose`Authentication attached to a route pattern that the router reads more generously than the gate does
      (a rule for /v1/printers that misses /v1/printers/ or /V1/printers); a gateway in front that checks tokens
      while the service itself is open; a response cache keyed by URL alone that serves the next caller;
      [AllowAnonymous], permitAll or a missing middleware on the new controller.`,
  fix: prose`Deny by default: put the check in front of routing, for every path and method, and let single
      routes out of it where that is meant; keep authorised answers out of shared caches (Vary: Authorization
      or no-store).`,
  judge: async (context) => {
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
    await context.others();
    await expectNoOpening(context);
  },
});
