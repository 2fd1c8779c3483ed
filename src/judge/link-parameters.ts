import { type Parameter, parametersOf } from '../provider/link.ts';
import type { Page } from '../provider/page.ts';
import type { Snapshot } from '../provider/snapshot.ts';

export function countsMoreThanGiven({ count, itemCount }: Page): boolean {
  return typeof count === 'number' && count > itemCount;
}

/** The parameters of a page's link, even if its path is wrong; null if there is no link to read. */
export function parametersOfLink(page: Page, snapshot: Snapshot): readonly Parameter[] | null {
  if (typeof page.link !== 'string' || page.link === '') return null;
  const usable = snapshot.linkOf(page);
  return usable?.parameters ?? parametersOf(page.link);
}
