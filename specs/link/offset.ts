import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { recordCount } from '../../src/core/number-format.ts';
import type { RequirementId } from '../../src/core/requirement-id.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { type ListFacts, recordsAfter } from '../../src/judge/probes/list-facts.ts';
import { countedPages } from '../../src/judge/probes/list-traversals.ts';
import { counterexampleOf, type RequestedPage, sizeInForce } from '../../src/judge/probes/requested-page.ts';
import { pageRule } from '../../src/judge/rules/rule.ts';
import { findFirstFault } from '../../src/judge/traversals.ts';
import { type Violation, violationOn } from '../../src/judge/violation.ts';
import {
  type ListAddress,
  linkParameters,
  usableLink,
  valuesOf,
  wholeNumber,
} from '../../src/provider/link.ts';

export const linkOffset = requirement({
  id: 'link/offset',
  clause: ['2.3'],
  rule: "The link's $skip is the number of records returned so far, this page included.",
  needs: MORE_THAN_ONE_PAGE,
  tested: `Adds up the items of each traversal, page by page, and compares the sum with the $skip of the link; for a page
    requested on its own, its $skip plus its items.`,
  breach: '$skip is lower or higher than the sum, so the next page would repeat or skip records.',
  causes: `$skip advances by the default or maximum page size instead of the one in force, or by the requested number
    although the page holds fewer. It counts pages. It never advances. It is one too low or too high.`,
  fix: 'Set $skip to the $skip of this request plus the number of records on this page.',
  ...pageRule({
    atRest: false,
    probes: (context) => countedPages(context, findFirstFault),
    facts: ['address', 'list', 'misplaced'],
    oracle: (requested, { address, list, misplaced }) => {
      const { page, skip: before } = requested;
      const parameters = requested.isCounted === true ? linkParameters(page.link, address) : null;
      if (parameters === null) return null;
      const skips = valuesOf(parameters, '$skip');
      if (skips.length !== 1)
        return new Blocked('link/query', `the link of ${page.target} has $skip ${skips.length} times`);
      const expected = before + page.itemCount;
      if (!isFollowed(requested, list))
        return new Blocked(
          'link/absent-at-the-end',
          `${page.target} holds the last of ${expected} records and gives a nextPageLink`,
        );
      const skip = wholeNumber(skips[0] ?? '') ?? skips[0] ?? '';
      if (skip === expected) return 'kept';
      if (misplaced !== null) return misplaced;
      const cause = causeOfOffset(skip, requested, address);
      if (cause !== null) return cause;
      return wrongOffset(requested, skip, expected);
    },
  }),
});

/** The breach that the link of a page has another $skip than the number of records returned so far. */
function wrongOffset(requested: RequestedPage, skip: number | string, expected: number): Violation {
  const { page, position } = requested;
  return violationOn(page, {
    key: position === null ? page.target : `${position.pageSize} page ${position.number}`,
    message:
      `GET ${page.target} gives ${recordCount(page.itemCount)}` +
      `${requested.skip === 0 ? '' : ` after ${requested.skip}`}, and the link's $skip is ${skip} instead of ${expected}`,
    expected,
    actual: skip,
    counterexample: counterexampleOf(requested),
  });
}

/** The breach of another requirement that explains a wrong offset; null if none does. */
function causeOfOffset(
  skip: number | string,
  requested: RequestedPage,
  address: ListAddress,
): Blocked | null {
  const { page } = requested;
  const size = sizeInForce(requested);
  // A link that is no reference to the list breaks link/relative, not this rule.
  if (typeof skip === 'string' && usableLink(page.link, address) === null)
    return new Blocked('link/relative', `the nextPageLink of ${page.target} is not a reference to the list`);
  const unfilled =
    Number(skip) === positionIfFilled(requested, size) ? sizeRuleBrokenSoFar(requested, size) : null;
  return unfilled === null
    ? null
    : new Blocked(unfilled, `a page holds ${recordCount(page.itemCount)} instead of ${size}`);
}

/**
 * Whether records follow the page; true for a page of a traversal unless its count says that it is the last one. Where no
 * traversal shows the list, the count of a first page does.
 */
function isFollowed(requested: RequestedPage, list: ListFacts): boolean {
  const { page, skip, position } = requested;
  const end = skip + page.itemCount;
  if (position !== null) return typeof page.count !== 'number' || page.count > end || end < list.known;
  if (list.records === null && skip === 0) return typeof page.count === 'number' && page.count > end;
  return (recordsAfter(requested, list) ?? 0) > 0;
}

/** Where the page would end if every page of its traversal so far were filled; null without a page size. */
function positionIfFilled({ skip, position }: RequestedPage, size: number | null): number | null {
  if (size === null) return null;
  return position === null ? skip + size : position.number * size;
}

/** The rule of page sizes that the page, or one before it, breaks; null if all are filled. */
function sizeRuleBrokenSoFar({ page, position }: RequestedPage, size: number | null): RequirementId | null {
  if (size === null || (position === null ? page.itemCount === size : position.areAllFilled)) return null;
  return page.itemCount > size ? 'page-size/limit' : 'page-size/filled';
}
