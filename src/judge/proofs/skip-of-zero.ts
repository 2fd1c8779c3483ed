import { recordCount } from '../../core/number-format.ts';
import { sameIdentities } from '../../provider/identity.ts';
import { hasParameter } from '../../provider/link.ts';
import { othersIn, type Page } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { listFacts, pagesOfRun } from '../probes/list-facts.ts';
import { requestedPageOf } from '../probes/requested-page.ts';
import { recordsAt } from '../traversals.ts';
import { violationOn } from '../violation.ts';
import { isFresh } from './data-at-rest.ts';

/** Which page is requested in turn, with `$skip=0` or without `$skip`: not alternately, because two servers may answer in turn. */
const REQUESTS = ['with', 'without', 'without', 'with', 'with'] as const;

/**
 * Expects that pages of the run with `$skip=0` hold the records of the same request without it (4.3.3): the order of the list may
 * depend on the page size only. A page that begins unlike the main traversal is requested again, in turn with the other one.
 * Throws Violation; changed data or an outdated cache explains other records.
 */
export async function expectFirstPageAtZero(context: CheckContext): Promise<void> {
  const { snapshot, exercised } = context;
  const page = await findSuspect(snapshot);
  const without = page === null ? null : await pageWithoutSkip(page, snapshot);
  if (page === null || without === null) return;
  exercised();
  const others = othersIn(page, without);
  throw violationOn(page, {
    message:
      `GET ${page.target} gives ${recordCount(page.itemCount)}, ${others} of them others than those of ${without.target}, ` +
      'also when both are requested in turn; $skip=0 must leave out no records',
    expected: `the ${recordCount(without.itemCount)} of ${without.target}`,
    actual: `${recordCount(page.itemCount)}, ${others} of them different`,
    counterexample: { request: page.target },
    further: [without.exchange],
  });
}

/** A page with `$skip=0` that has other records than the beginning of the main traversal; null if there is none. */
async function findSuspect(snapshot: Snapshot): Promise<Page | null> {
  const { main, records } = await listFacts(snapshot);
  const isSuspect = (page: Page): boolean => {
    const requested = requestedPageOf(page);
    if (requested?.isCounted !== true || requested.size === null || requested.skip > 0) return false;
    if (!hasParameter(page.target, '$skip') || page.count !== records) return false;
    return othersIn(page, { identities: recordsAt(main, 0, page.itemCount) }) > 0;
  };
  return [...pagesOfRun(snapshot)].find(isSuspect) ?? null;
}

/** The page of the same request without `$skip`; null unless both give the same records each time, which are not the same ones. */
async function pageWithoutSkip(page: Page, snapshot: Snapshot): Promise<Page | null> {
  const { client } = snapshot;
  const pageSize = requestedPageOf(page)?.pageSize ?? undefined;
  const without = await client.authorized(snapshot.targetOf({ count: true, pageSize }));
  if (without.kind !== 'page' || othersIn(page, without) === 0) return null;
  for (const request of REQUESTS) {
    const before = request === 'with' ? page : without;
    const again = await client.authorized(before.target);
    if (again.kind !== 'page' || again.count !== page.count) return null;
    if (!sameIdentities(again.identities, before.identities)) return null;
  }
  return (await isFresh(client, [page, without])) ? without : null;
}
