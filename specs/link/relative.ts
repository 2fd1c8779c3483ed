import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { stoppedBy, Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { isLinked } from '../../src/judge/given-place.ts';
import { type PageFacts, pageRule } from '../../src/judge/rules/rule.ts';
import { printLink } from '../../src/judge/traversals.ts';
import { violationOn } from '../../src/judge/violation.ts';
import { spellingDiagnosis } from '../../src/provider/diagnosis.ts';
import { readLink } from '../../src/provider/link.ts';
import type { Page } from '../../src/provider/page.ts';
import { kindOf } from '../../src/provider/schemas.ts';

export const linkRelative = requirement({
  id: 'link/relative',
  clause: ['2.3'],
  smoke: true,
  rule: `nextPageLink is a relative reference: it has no scheme and no host. Resolved against the list, its path is the
    path of the list.`,
  needs: MORE_THAN_ONE_PAGE,
  tested: `Reads every link of the run by RFC 3986, resolves it against the list path and compares. A link with or without
    a leading slash, with or without the path of baseUrl, or a query alone, is correct if it leads to the list.`,
  breach: 'https://…/v1/printers?…, //host/…, or a relative link to another path.',
  causes: `Stock ASP.NET OData writes absolute links. The link is built from the request as the service sees it behind a
    gateway: an internal host name, http instead of https, or a path that only the service knows.`,
  fix: `Write the list path and the query only, or make the link relative to the request. Do not build it from the host
    and scheme that the service sees.`,
  isAboutAnswers: true,
  ...pageRule({
    atRest: false,
    facts: ['address', 'target', 'isPathGiven'],
    oracle: ({ page }, facts) => {
      if (!isLinked(page)) return null;
      const fault = faultOf(page, facts);
      if (fault === null) return 'kept';
      if (fault instanceof Undecided) return fault;
      return violationOn(page, {
        key: fault.replaceAll(/\d+/g, 'N'),
        message: `the nextPageLink of ${page.target} is ${printLink(page.link)}: ${fault}`,
        expected: `a relative reference whose path is ${facts.address.listPath}`,
        actual: page.link,
      });
    },
  }),
});

/**
 * What is wrong with a link; null if it is a relative reference to the list; Undecided for a link beyond a limit, and for a
 * path that the target file spells otherwise than every link.
 */
function faultOf(
  { link, target }: Page,
  { address, target: file, isPathGiven }: Pick<PageFacts, 'address' | 'target' | 'isPathGiven'>,
): string | Undecided | null {
  if (typeof link !== 'string') return `it is ${kindOf(link)} instead of a string`;
  const read = readLink(link, address);
  if (read.kind === 'unusable') {
    if (read.limit !== undefined) return stoppedBy(read.limit, `the nextPageLink of ${target}: ${read.why}`);
    const diagnosis = isPathGiven ? null : spellingDiagnosis(link, file);
    return diagnosis === null
      ? read.why
      : new Undecided(diagnosis.cause, diagnosis.sentence, diagnosis.verdict);
  }
  return read.kind === 'absolute' ? 'it is absolute, with scheme or authority' : null;
}
