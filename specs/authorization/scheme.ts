import { requirement } from '../../src/judge/check.ts';
import { type CheckContext, madeUpText, type Property, shareOf } from '../../src/judge/context.ts';
import { linkedPages } from '../../src/judge/probes/list-refusals.ts';
import { type ListProbe, refusedTokenUses, withQuery } from '../../src/judge/rules/refused-list-calls.ts';
import {
  basicPair,
  type MisplacedToken,
  misplacedTokens,
  otherwiseMisplacedTokens,
  underScheme,
  WITHOUT_SCHEME,
} from '../../src/provider/misplaced-tokens.ts';

/** Further wrong uses of the token that a full run draws. */
const FURTHER_USES = 2;

export const authorizationScheme = requirement({
  id: 'authorization/scheme',
  clause: ['5.1'],
  rule: `The issued token is refused under another scheme, without a scheme, and anywhere but in the
      Authorization header: in the query, in a form, in a cookie.`,
  leastRecords: 1,
  tested: `Sends the correct token as Basic, as Token, under schemes that only begin or end with Bearer, without
      a scheme, in the query (also of a linked page) and in a form as access_token, and under common names in the
      query, in cookies and in other headers. Some of these calls have a query. Full runs draw some further schemes by
      their seed, certify sends all: OAuth, JWT, ApiKey, HTTP Basic with the client's credentials or with the token in
      it, a JSON body. Looks for records in the answers. Letter case of "Bearer" is only observed.`,
  breach: 'One of these requests obtains records.',
  causes: `A hand-written header parser that takes the last word, or everything after a fixed number of
      characters; a framework that also reads ?access_token= (for websockets) or a session cookie; several
      authentication schemes enabled where one was intended.`,
  fix: `Read the token only from the Authorization header, after the scheme Bearer and one space. Switch off
      every other place from which the framework reads it.`,
  judge: refusedTokenUses(callsWithMisplacedToken),
});

async function callsWithMisplacedToken(context: CheckContext, token: string): Promise<Property<ListProbe>> {
  const { list, options, target } = context;
  redactMisplaced(context, token);
  const unrelated = madeUpText(context, 'any token');
  const linked = await linkedPages(context);
  const page = linked[(options.seed >>> 0) % linked.length] ?? linked[0];
  const { length } = encodeURIComponent(token);
  const usedHeaders = Object.keys(target.headers).map((name) => name.toLowerCase());
  const isComplete = options.suite === 'certify';
  const places = { linked: page, seed: options.seed, isComplete, length, usedHeaders };
  const usual = withControls(
    misplacedTokens(list.path, token, places),
    misplacedTokens(list.path, unrelated, places),
  );
  const { further, rare } = otherwiseMisplacedTokens(list.path, token, target.credentials);
  const furtherControls = otherwiseMisplacedTokens(list.path, unrelated, target.credentials).further;
  return {
    sample: 'scheme',
    atRest: false,
    // The first three, which differ only in the scheme, and the one without a scheme have different queries, which
    // change with the seed.
    examples: [
      ...usual.flatMap((probe, index) => {
        const isBare = probe.key === WITHOUT_SCHEME;
        if (index >= 3 && !isBare) return [probe];
        const turn = index + (options.seed >>> 0);
        const turns = isBare && options.suite === 'certify' ? [turn, turn + 1, turn + 2] : [turn];
        return turns.map((one) => withQuery(context, one, probe, linked));
      }),
      ...shareOf(
        context,
        withControls(further, furtherControls),
        FURTHER_USES,
        rare.map((one) => probeOf(one)),
      ),
    ],
    runs: { smoke: 0, full: 0, certify: 1 }[options.suite],
    arbitrary: (fastCheck) =>
      fastCheck
        .stringMatching(/^[A-Za-z][A-Za-z0-9]{1,11}$/)
        .filter((scheme) => scheme.toLowerCase() !== 'bearer')
        .map((scheme) => probeOf(underScheme(scheme, token))),
  };
}

/** Registers the forms of the token and the credentials that these calls send, so that no evidence shows them. */
function redactMisplaced({ secrets, target, tokens }: CheckContext, token: string): void {
  const { clientId } = target.credentials;
  const label = tokens.labelOf(token);
  secrets.add(`Bearer${token}`, `${label} without a space after the scheme`, 'Bearer${TOKEN}');
  secrets.add(`Bearer:${token}`, `${label} after a colon`, 'Bearer:${TOKEN}');
  secrets.add(`Bearer=${token}`, `${label} after an equals sign`, 'Bearer=${TOKEN}');
  secrets.add(basicPair(token, ''), `${label} as a user name`, '$(printf %s "$TOKEN:" | base64 -w0)');
  secrets.add(
    basicPair(clientId, token),
    `${label} as a password`,
    '$(printf %s "$CLIENT_ID:$TOKEN" | base64 -w0)',
  );
}

/** Probes with calls that carry unrelated text in the same places. */
function withControls(
  misplaced: readonly MisplacedToken[],
  controls: readonly MisplacedToken[],
): readonly ListProbe[] {
  return misplaced.map((one) =>
    probeOf(
      one,
      controls.find(({ carrying }) => carrying === one.carrying),
    ),
  );
}

function probeOf({ carrying, parts = [], ...call }: MisplacedToken, control?: MisplacedToken): ListProbe {
  return {
    ...call,
    key: carrying,
    description: carrying,
    mayListBeOpen: true,
    ...(control === undefined ? {} : { control: control.call }),
    parts: withControls(parts, control?.parts ?? []),
  };
}
