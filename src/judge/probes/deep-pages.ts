import type { ListAnswer } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext } from '../context.ts';
import { countProvenRecords, positionOf } from '../list-position.ts';
import { partialTraversalSizes } from './page-sizes.ts';
import { requestedPageOf } from './requested-page.ts';

/** A page near the end of a list, requested by its parameters. */
export interface DeepPage {
  readonly pageSize: number;
  /** A multiple of the page size: another offset may be refused. */
  readonly skip: number;
  readonly answer: ListAnswer;
  /** The request target that its link leads to; null if it has no link to the list. */
  readonly linked: string | null;
}

/**
 * The last page but one, with a page size too small to traverse the whole list: limits of offsets show there, some of
 * them for small pages only. Null if the length of the list is not known, or if it has no such page.
 */
export async function deepPage(context: CheckContext, snapshot: Snapshot): Promise<DeepPage | null> {
  if (context.options.suite === 'smoke') return null;
  const total = await countProvenRecords(snapshot);
  if (total === null) return null;
  const pageSize = partialTraversalSizes(total, context.random('small size')).at(-1) ?? 1;
  const skip = pageSize * (Math.ceil(total / pageSize) - 2);
  if (pageSize < 2 || skip < pageSize) return null;
  const answer = await snapshot.first({ count: true, pageSize, skip });
  const linked = answer.kind === 'page' ? (snapshot.linkOf(answer)?.target ?? null) : null;
  return { pageSize, skip, answer, linked };
}

/** The answer to the link of that page; null if it has none, or if its link does not lead to the last page. */
export async function pageAfterDeepPage(
  { answer, linked, pageSize, skip }: DeepPage,
  snapshot: Snapshot,
): Promise<ListAnswer | null> {
  if (answer.kind !== 'page' || linked === null) return null;
  const asked = requestedPageOf(answer);
  const place = asked === null ? null : await positionOf(asked, snapshot);
  if (place === null || place.after <= 0 || answer.itemCount !== pageSize) return null;
  const parameters = snapshot.linkOf(answer)?.parameters ?? [];
  const expected = { $count: 'true', $pagesize: String(pageSize), $skip: String(skip + pageSize) };
  for (const [name, value] of Object.entries(expected)) {
    const given = parameters.filter((parameter) => parameter.name === name);
    if (given.length !== 1 || given[0]?.value !== value) return null;
  }
  return snapshot.at(linked);
}
