import { expect, it } from 'vitest';
import type { CheckContext } from '../../../../src/judge/context.ts';
import { pagesByParameters } from '../../../../src/judge/probes/pages-by-parameters.ts';
import { identitiesOf } from '../../../../src/provider/identity.ts';
import { parametersOf, wholeNumberIn } from '../../../../src/provider/link.ts';
import type { ListClient } from '../../../../src/provider/list-client.ts';
import { Snapshot } from '../../../../src/provider/snapshot.ts';
import { judgeBehind, openMock, requirementOf } from '../../../support/judge-mock.ts';
import { aPage } from '../../../support/page.ts';
import { unusedTarget } from '../../../support/unused-target.ts';

const RECORDS = Array.from({ length: 1234 }, (_none, index) => `printer-${index}`);

/** A list whose first page has no link if no page size is requested. */
async function pageAt(target: string) {
  const parameters = parametersOf(target);
  const size = wholeNumberIn(parameters, '$pagesize');
  const skip = wholeNumberIn(parameters, '$skip') ?? 0;
  const end = skip + (size ?? 500);
  const items = RECORDS.slice(skip, end);
  const isLinked = size !== null && end < RECORDS.length;
  return aPage({
    target,
    itemCount: items.length,
    identities: identitiesOf(items),
    count: RECORDS.length,
    link: isLinked ? `/v1/printers?$count=true&$pagesize=${size}&$skip=${end}` : undefined,
  });
}

it('takes most pages from the traversal with the smallest pages, also if the main one has a page size', async () => {
  const client = {
    path: '/v1/printers',
    target: unusedTarget,
    address: { origin: 'http://127.0.0.1:9', basePath: '', listPath: '/v1/printers', longestLink: 1000 },
    authorized: pageAt,
    pages: { counts: null, usual: [] },
  };
  const pages = await pagesByParameters({
    options: { suite: 'full', seed: 1 },
    target: unusedTarget,
    random: () => 7,
    limitedBy: () => undefined,
    snapshot: new Snapshot(client as unknown as ListClient),
  } as unknown as CheckContext);
  const sizes = pages.flatMap(({ traversal }) => traversal.pageSize ?? []);
  expect(sizes).toContain(500);
  expect(sizes.filter((size) => size === Math.min(...sizes))).toHaveLength(3);
});

it('counts no case for a page that is refused without a page size', async () => {
  const mock = await openMock({ records: 1234 });
  const casesIf = async (isRefused: boolean): Promise<number> => {
    const result = await judgeBehind(
      mock,
      ({ answer, target }) =>
        isRefused && target.includes('$skip=') && !target.includes('$pagesize=')
          ? { ...answer, status: 400, body: Buffer.from('{}') }
          : answer,
      { only: ['traversal/by-parameters'] },
    );
    return requirementOf(result, 'traversal/by-parameters').cases;
  };
  expect(await casesIf(true)).toBe((await casesIf(false)) - 1);
});
