import { readQuery } from '../provider/link.ts';
import type { Page } from '../provider/page.ts';
import type { View } from '../provider/view.ts';
export function countsMore({ count, itemCount }: Page): boolean {
  return typeof count === 'number' && count > itemCount;
}

/** The parameters of a page's link, also of one whose place is wrong; null where there is none to read. */
export function usableLink(
  page: Page,
  view: View,
): { readonly parameters: ReturnType<typeof readQuery> } | null {
  if (typeof page.link !== 'string' || page.link === '') return null;
  const usable = view.linkOf(page);
  if (usable !== null) return usable;
  const question = page.link.indexOf('?');
  return { parameters: readQuery(question < 0 ? '' : (page.link.slice(question + 1).split('#')[0] ?? '')) };
}
