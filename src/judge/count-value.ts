import type { Json } from '../core/results.ts';
import { countText, type Page } from '../provider/page.ts';
import { kindOf } from '../provider/schemas.ts';
import type { View } from '../provider/view.ts';
import { pagesByParameters } from './by-parameters.ts';
import type { CheckContext } from './context.ts';
import { allOf, countedPagesInTurn } from './evidence.ts';
/** Every page with a count: those of first calls and walks, and those asked for by their parameters. */
export async function* countedInTurn(
  context: CheckContext,
  view: View,
): AsyncGenerator<{ readonly page: Page; readonly number: number }> {
  yield* countedPagesInTurn(context, view);
  yield* await countedByParameters(context, view);
}

/** Pages that were asked for by parameters instead of by their links; those that are no pages are left out. */
export async function countedByParameters(
  context: CheckContext,
  view: View,
): Promise<readonly { readonly page: Page; readonly number: number }[]> {
  const asked = await pagesByParameters(context, view);
  const answers = await allOf(
    asked.map(async ({ query, step }) => ({ page: await view.query(query), number: step.number })),
  );
  return answers.flatMap(({ page, number }) => (page.kind === 'page' ? [{ page, number }] : []));
}

/** What is wrong with a page's count, as half a sentence; null where it is an integer of 0 or more. */
export function faultOf(page: Page): string | null {
  if (page.count === undefined) return 'is missing';
  if (page.exactCount?.integer === false) return 'is a number instead of an integer';
  if (typeof page.count !== 'number' || !Number.isInteger(page.count))
    return `is ${kindOf(page.count)} instead of an integer`;
  return page.count < 0 ? `is ${page.count}, less than 0` : null;
}

/** The digits of a page's count, cut where there are very many. */
export function shown(page: Page): string {
  const text = countText(page) ?? '';
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length} digits)` : text;
}

/** The count of a page as it was given: a number, or its digits where a number would be another one. */
export function told(page: Page): Json {
  return isBeyondNumbers(page) ? shown(page) : (page.count ?? null);
}

export function isBeyondNumbers({ count, exactCount }: Page): boolean {
  return exactCount !== null && exactCount.text !== String(count);
}
