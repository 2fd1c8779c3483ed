import { sameIdentities } from '../../provider/identity.ts';
import { othersIn, type Page } from '../../provider/page.ts';
import type { CheckContext } from '../context.ts';
import { isInPlace } from '../list-facts.ts';
import { type RequestedPage, requestedPageOf } from '../probes/requested-page.ts';
import { type SecondClientPages, secondClientPages } from '../probes/second-client.ts';
import { type Violation, violationOn } from '../violation.ts';

/**
 * Expects that a page from within the list that the second provider's client requests repeats no record of a page before
 * it (4.3.3). Requests pages before it only if the run's own client is given other records there. Throws Violation.
 */
export async function expectNoRepeatedPlace(context: CheckContext): Promise<void> {
  const { pages, ask } = await secondClientPages(context);
  for (const page of pages) {
    const requested = requestedPageOf(page);
    if (requested === null || requested.skip === 0 || (await isInPlace(page, context.snapshot))) continue;
    const own = await context.list.authorized(page.target);
    // What the run's own client is given as well is for other checks to judge.
    if (own.kind === 'page' && sameIdentities(own.identities, page.identities)) continue;
    const found = await findRepetition(requested, ask);
    if (found !== null) throw found;
  }
}

/** The breach of a page that gives records of the first page of its size, or of the one before it, twice. */
async function findRepetition(
  { page, skip, size }: RequestedPage,
  ask: SecondClientPages['ask'],
): Promise<Violation | null> {
  if (size === null) return null;
  const [path = ''] = page.target.split('?', 1);
  for (const place of new Set([Math.max(0, skip - size), 0])) {
    const target = `${path}?$count=true&$pagesize=${size}&$skip=${place}`;
    // In this order data that changes with every read, or once, does not give the same answers again.
    const before = await ask(target);
    const again = await ask(page.target);
    if (before === null || again === null) continue;
    const isSame = async ({ target: path, identities }: Page): Promise<boolean> => {
      const repeated = await ask(path);
      return repeated !== null && sameIdentities(identities, repeated.identities);
    };
    const shared = again.itemCount - othersIn(again, before);
    if (shared === 0 || !(await isSame(again)) || !(await isSame(before))) continue;
    return violationOn(again, {
      key: 'place of the second client',
      message:
        `with a token of the second provider, GET ${again.target} gives ${shared} of the records that ` +
        `${before.target} gives, twice; the records of one place must be on no other page`,
      expected: `${again.itemCount} records that ${before.target} does not give`,
      actual: `${shared} of its records`,
      further: [before.exchange],
    });
  }
  return null;
}
