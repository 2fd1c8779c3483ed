import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { prose } from '../../src/core/prose.ts';
import { Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { judgeEveryPage } from '../../src/judge/every-page.ts';
import { countedPagesInTurn } from '../../src/judge/evidence.ts';
import { Violation } from '../../src/judge/findings.ts';
import { shown } from '../../src/judge/list-end.ts';
import { readLink } from '../../src/provider/link.ts';
import type { Page } from '../../src/provider/page.ts';
import { kindOf } from '../../src/provider/schemas.ts';
import type { View } from '../../src/provider/view.ts';

export const linkRelative = requirement({
  id: 'link/relative',
  clause: ['2.3'],
  smoke: true,
  rule: prose`nextPageLink is a relative reference: it has no scheme and no host, and its path, resolved against the
      list, is the path of the list.`,
  needs: MORE_THAN_ONE_PAGE,
  tested: prose`Reads every link of the run by RFC 3986, resolves it against the list path and compares. A link with or
      without a leading slash, or of a query alone, is in order where it leads there.`,
  breach: 'https://…/v1/printers?…, //host/…, or a relative link to another path.',
  causes: prose`Stock ASP.NET OData, which writes absolute links; a link made from the request as the service sees it
      behind a gateway, with an internal host name, http in place of https, or the gateway's path prefix lost.`,
  fix: prose`Write the list path and the query alone, or make the link relative to the request; do not
      build it from the host and scheme that the service sees.`,
  judge: async (context) => {
    await context.settle({ atRest: false }, async (view) => {
      for await (const { page } of countedPagesInTurn(context, view)) {
        if (page.link === undefined || page.link === '') continue;
        context.exercised();
        const violation = misplacedLink(page, view);
        if (violation !== null) throw violation;
      }
    });
    await judgeEveryPage(context, { atRest: false }, ({ page }, view) => misplacedLink(page, view));
  },
});

/** The breach of a page whose link is not relative, or leads elsewhere; null where it is as it should be, or not given. */
function misplacedLink(page: Page, view: View): Violation | null {
  const why = page.link === undefined || page.link === '' ? null : faultOf(page, view);
  if (why === null) return null;
  return new Violation({
    key: why.replaceAll(/\d+/g, 'N'),
    message: `the nextPageLink of ${page.target} is ${shown(page.link ?? null)}: ${why}`,
    expected: `a relative reference whose path is ${view.client.place.listPath}`,
    actual: page.link ?? null,
    counterexample: { request: page.target },
    exchanges: [page.exchange],
  });
}

function faultOf(page: Page, view: View): string | null {
  if (typeof page.link !== 'string') return `it is ${kindOf(page.link)} instead of a string`;
  const read = readLink(page.link, view.client.place);
  if (read.kind === 'unusable') {
    if (read.limit !== undefined)
      throw new Undecided(
        { kind: 'limit', limit: read.limit },
        `the nextPageLink of ${page.target}: ${read.why}`,
      );
    return read.why;
  }
  return read.kind === 'absolute' ? 'it is absolute, with scheme or authority' : null;
}
