import { describe, expect, it } from 'vitest';
import { linkQuery } from '../../../specs/link/query.ts';
import { requestedPageOf } from '../../../src/judge/probes/requested-page.ts';
import type { PageFacts } from '../../../src/judge/rules/rule.ts';
import { Violation } from '../../../src/judge/violation.ts';
import { aPage } from '../../support/page.ts';

const address = { origin: 'https://a.example', basePath: '', listPath: '/v1/printers', longestLink: 8192 };

/** What the oracle finds on a page whose request and link have these values of $pagesize. */
function findingOf(asked: readonly string[], linked: string): unknown {
  const sizes = asked.map((size) => `&$pagesize=${size}`).join('');
  const requested = requestedPageOf(
    aPage({
      target: `/v1/printers?$count=true${sizes}`,
      link: `/v1/printers?$count=true&$pagesize=${linked}&$skip=1`,
      count: 1234,
    }),
  );
  if (requested === null || linkQuery.pageRule === undefined) throw new Error('the oracle needs a page');
  return linkQuery.pageRule.oracle(requested, { address } as PageFacts);
}

describe('the page size of a link', () => {
  it.each([
    [['1', '1000'], '1000'],
    [['1', '1000'], '1'],
    [['1,000'], '1,000'],
    [['01000'], '1000'],
  ])('may be one that the request gives: %j, %s', (asked, linked) => {
    expect(findingOf(asked, linked)).toBe('kept');
  });

  it('breaks the rule if it is neither in force nor requested', () => {
    expect(findingOf(['7'], '8')).toBeInstanceOf(Violation);
  });
});
