import { MORE_THAN_ONE_PAGE } from '../../src/core/cause.ts';
import { recordCount } from '../../src/core/number-format.ts';
import { MAX_PAGE_SIZE } from '../../src/core/page-size.ts';
import type { RequirementId } from '../../src/core/requirement-id.ts';
import { Blocked } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import { counterexampleOf, type RequestedPage, sizeInForce } from '../../src/judge/probes/requested-page.ts';
import { pageRule } from '../../src/judge/rules/rule.ts';
import { printLink, type QueryFault, queryFaults, sentenceOf } from '../../src/judge/traversals.ts';
import { type Violation, violationOn } from '../../src/judge/violation.ts';
import {
  linkParameters,
  type Parameter,
  parametersOf,
  valuesOf,
  wholeNumber,
} from '../../src/provider/link.ts';

export const linkQuery = requirement({
  id: 'link/query',
  clause: ['2.3'],
  rule: `The query of the link carries $count=true, $pagesize with the page size in force, and $skip, each once. Names
    may be spelled with %24 and be in any order; further parameters are allowed. Of a $pagesize outside 1 to 500, which
    the specification leaves open, the link may repeat the requested value.`,
  needs: MORE_THAN_ONE_PAGE,
  tested:
    'Reads the query of every link of the run, after decoding names and values once. Accepts True for true.',
  breach: 'A parameter is missing, is given twice, has another value, or has lost its $.',
  causes: `The old $skip is kept and a new one appended. $pagesize is dropped if the default was in force. A URL builder
    removes the $ or encodes it twice (%2524). $count is written as 1. A continuation token ($skiptoken, cursor)
    replaces $skip.`,
  fix: `Build the query from $count=true, the page size in force and the new $skip, each once, then add further
    parameters of the request. Do not append to the old query.`,
  isAboutAnswers: true,
  ...pageRule({
    atRest: false,
    facts: ['address'],
    oracle: (requested, { address }) => {
      const { link } = requested.page;
      const parameters = requested.isCounted === true ? linkParameters(link, address) : null;
      if (parameters === null) return null;
      const faults = queryFaults(parameters, expectedSizeIn(parameters, requested));
      const [fault] = faults;
      if (fault === undefined) return 'kept';
      return causeOfSize(fault, requested) ?? wrongLinkQuery(requested, [fault, ...faults.slice(1)]);
    },
  }),
});

/** The page size that the link of a page must have; null if it repeats a requested size that is left open. */
function expectedSizeIn(parameters: readonly Parameter[], requested: RequestedPage): number | null {
  const { page, size } = requested;
  const sizes = valuesOf(parameters, '$pagesize');
  // For a size outside 1 to 500, or several, the link may repeat a requested one or the applied one.
  const asked = valuesOf(parametersOf(page.target), '$pagesize');
  const isRequested = (text: string): boolean => asked.some((one) => sameValue(text, one));
  if (size === null && sizes.length === 1 && isRequested(sizes[0] ?? '')) return null;
  const inForce = sizeInForce(requested);
  // For a size outside 1 to 500 it is open which size is applied, but the page holds no more records than that.
  return size === null && inForce !== null ? Math.max(inForce, page.itemCount) : inForce;
}

function wrongLinkQuery(requested: RequestedPage, faults: readonly [QueryFault, ...QueryFault[]]): Violation {
  const { page } = requested;
  return violationOn(page, {
    key: sentenceOf(faults),
    message: `the nextPageLink of ${page.target} is ${printLink(page.link ?? null)}: ${sentenceOf(faults)}`,
    expected: faults.map(({ expected }) => expected).join(', '),
    actual:
      faults.length === 1
        ? faults[0].actual
        : faults.map(({ name, actual }) => `${name} ${actual}`).join(', '),
    counterexample: counterexampleOf(requested),
  });
}

/** Whether two texts are the same, or the same whole number: 01000 may be repeated as 1000. */
function sameValue(one: string, other: string): boolean {
  return one === other || (wholeNumber(one) !== null && wholeNumber(one) === wholeNumber(other));
}

/** The breach of another requirement that explains a wrong page size of a link; null if none does. */
function causeOfSize({ name, actual }: QueryFault, requested: RequestedPage): Blocked | null {
  if (name !== '$pagesize') return null;
  const { page, size } = requested;
  const broken = (wholeNumber(actual) ?? -1) >= 0 ? sizeRuleBrokenByPage(requested) : null;
  if (broken === null && actual !== String(page.itemCount)) return null;
  return new Blocked(
    broken ?? 'page-size/filled',
    `the page holds ${recordCount(page.itemCount)} instead of ${size}`,
  );
}

/** The rule of page sizes that the page breaks; its link may then repeat the size that the provider applied. */
function sizeRuleBrokenByPage({ page, pageSize, size, position }: RequestedPage): RequirementId | null {
  if (page.itemCount > MAX_PAGE_SIZE && pageSize !== null) return 'page-size/maximum';
  if (size === null || page.itemCount === size) return null;
  if (pageSize === null && (position?.number ?? 1) === 1) return 'page-size/default';
  return page.itemCount > size ? 'page-size/limit' : null;
}
