import { prose } from '../../src/core/prose.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext, Property } from '../../src/judge/context.ts';
import {
  expectOpenToToken,
  expectRefusalAgain,
  type ListProbe,
  withLiveToken,
  withQuery,
} from '../../src/judge/list-refusals.ts';
import { type MisplacedToken, misplacedTokens, underScheme } from '../../src/provider/misplaced-tokens.ts';

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
      await context.property(callsWithMisplacedToken(context, token), (view, probe) =>
        expectRefusalAgain(context, view, probe),
      );
    });
  },
});

function callsWithMisplacedToken(context: CheckContext, token: string): Property<ListProbe> {
  const misplaced = misplacedTokens(context.list.path, token).map(probeOf);
  return {
    sample: 'scheme',
    atRest: false,
    // The first three, which differ in the scheme only, go to different queries.
    examples: misplaced.map((probe, index) => (index < 3 ? withQuery(context, index, probe) : probe)),
    runs: context.options.suite === 'certify' ? 10 : 0,
    arbitrary: (fastCheck) =>
      fastCheck
        .stringMatching(/^[A-Za-z][A-Za-z0-9]{1,11}$/)
        .filter((scheme) => scheme.toLowerCase() !== 'bearer')
        .map((scheme) => probeOf(underScheme(scheme, token))),
  };
}

function probeOf({ where, call, parts = [] }: MisplacedToken): ListProbe {
  return {
    key: where,
    asked: `with the token ${where}`,
    call,
    openList: true,
    parts: parts.map(probeOf),
  };
}
