import { describe, expect, it } from 'vitest';
import { linkRelative } from '../../../specs/link/relative.ts';
import { Undecided } from '../../../src/core/undecided.ts';
import { requestedPageOf } from '../../../src/judge/probes/requested-page.ts';
import type { PageFacts } from '../../../src/judge/rules/rule.ts';
import { Violation } from '../../../src/judge/violation.ts';
import { aPage } from '../../support/page.ts';
import { unusedTarget } from '../../support/unused-target.ts';

const address = { origin: 'https://a.example', basePath: '', listPath: '/v3/queues', longestLink: 8192 };

/** What the oracle finds on a page whose link has this path, if the target file spells the path of the list /v3/queues. */
function findingOf(path: string, isPathGiven: boolean): unknown {
  const link = `${path}?$count=true&$pagesize=1&$skip=1`;
  const requested = requestedPageOf(aPage({ target: '/v3/queues?$count=true&$pagesize=1', link, count: 2 }));
  if (requested === null || linkRelative.pageRule === undefined) throw new Error('the oracle needs a page');
  const resources = unusedTarget.resources.map((list) => ({ ...list, path: address.listPath }));
  const target = { ...unusedTarget, baseUrl: address.origin, resources };
  const facts: Partial<PageFacts> = { address, target, isPathGiven };
  return linkRelative.pageRule.oracle(requested, facts as PageFacts);
}

describe('a link to the list in another spelling', () => {
  it.each(['/v3/queues/', '/v3/Queues'])(
    'shows a mistake of the target file if every link has it: %s',
    (path) => {
      const finding = findingOf(path, false);
      expect(finding instanceof Undecided && finding.cause).toEqual({
        kind: 'configuration',
        key: 'resources[0].path',
      });
    },
  );

  it('is a breach if other links have the path of the target file', () => {
    expect(findingOf('/v3/queues/', true)).toBeInstanceOf(Violation);
    expect(findingOf('/v3/queues', true)).toBe('kept');
  });
});
