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
  rule: prose`The issued token is refused under another scheme, without a scheme, and anywhere but in the
      Authorization header: in the query, in a form, in a cookie.`,
  needs: null,
  tested: prose`Sends the correct token as Basic, as Token, under schemes that only begin or end with Bearer, without
      a scheme, in the query and in a form as access_token, and under common names in the query, in cookies and in
      other headers. Some of these calls have a query. Looks for records in the answers. Letter case of "Bearer" is
      only observed.`,
  breach: 'One of these requests obtains records.',
  causes: prose`A hand-written header parser that takes the last word, or everything after a fixed number of
      characters; a framework that also reads ?access_token= (for websockets) or a session cookie; several
      authentication schemes enabled where one was intended.`,
  fix: prose`Read the token only from the Authorization header, after the scheme Bearer and one space. Switch off
      every other place from which the framework reads it.`,
  judge: async (context) => {
    await expectOpenToToken(context);
    await withLiveToken(context, async (token) => {
      const label = context.tokens.labelOf(token);
      context.secrets.add(`Bearer${token}`, `${label} glued to its scheme`, 'Bearer${TOKEN}');
      await context.property(callsWithMisplacedToken(context, token), (snapshot, probe) =>
        expectRefusalAgain(context, snapshot, probe),
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
    runs: { smoke: 0, full: 3, certify: 10 }[context.options.suite],
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
