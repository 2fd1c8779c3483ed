import type { Json } from '../core/results.ts';
import { countText, type Page } from '../provider/page.ts';
import { kindOf } from '../provider/schemas.ts';
import type { Snapshot } from '../provider/snapshot.ts';
import type { CheckContext } from './context.ts';
import { awaitAll } from './parallel-map.ts';
import { pagesByParameters } from './probes/pages-by-parameters.ts';
import { countedPages, type RequestedPage, requestedPageOf } from './probes/requested-page.ts';

/** Every page that was requested with `$count=true`, and every page that was requested by its parameters. */
export async function* countedPagesAndPagesByParameters(
  context: CheckContext,
  snapshot: Snapshot,
): AsyncGenerator<RequestedPage | null> {
  yield* countedPages(context, snapshot);
  const answers = await awaitAll(
    (await pagesByParameters(context, snapshot)).map(async ({ query }) => snapshot.query(query)),
  );
  for (const answer of answers) yield requestedPageOf(answer);
}

/** What is wrong with a page's count, as the end of a sentence; null if it is an integer of 0 or more. */
export function countFault(page: Page): string | null {
  if (page.count === undefined) return 'is missing';
  if (page.exactCount?.integer === false) return 'is a number instead of an integer';
  if (typeof page.count !== 'number' || !Number.isInteger(page.count))
    return `is ${kindOf(page.count)} instead of an integer`;
  return page.count < 0 ? `is ${page.count}, less than 0` : null;
}

/** The digits of a page's count, cut after 60. */
export function printCount(page: Page): string {
  const text = countText(page) ?? '';
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length} digits)` : text;
}

/** The count of a page as data: a number, or its digits if JavaScript numbers cannot represent it. */
export function reportedCount(page: Page): Json {
  return exceedsNumbers(page) ? printCount(page) : (page.count ?? null);
}

export function exceedsNumbers({ count, exactCount }: Page): boolean {
  return exactCount !== null && exactCount.text !== String(count);
}
