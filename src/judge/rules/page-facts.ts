import type { ListPlace } from '../../provider/link.ts';
import type { ListAnswer } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Resource } from '../../target/target.ts';
import { type ListFacts, listFacts } from '../list-facts.ts';
import { appliedPageSize, type RequestedPage } from '../probes/requested-page.ts';

/** What an oracle may know besides a page and its request. */
export interface PageFacts {
  /** The address of the list, to read links. */
  readonly place: ListPlace;
  readonly resource: Resource;
  readonly list: ListFacts;
  /** The answer to `$count=true` alone. */
  readonly counted: ListAnswer;
  /** The page size in force; null if it is not known. */
  readonly size: number | null;
}

type Gather<Fact> = (requested: RequestedPage, snapshot: Snapshot) => Fact | Promise<Fact>;

const GATHER: { readonly [Name in keyof PageFacts]: Gather<PageFacts[Name]> } = {
  place: (_asked, { client }) => client.place,
  resource: (_asked, { client }) => client.resource,
  list: (_asked, snapshot) => listFacts(snapshot),
  counted: (_asked, snapshot) => snapshot.first({ count: true }),
  size: appliedPageSize,
};

/** Gathers the named facts about a page. May send requests for them, which other checks send as well. */
export async function pageFacts<Name extends keyof PageFacts>(
  names: readonly Name[],
  requested: RequestedPage,
  snapshot: Snapshot,
): Promise<Pick<PageFacts, Name>> {
  const facts: Partial<Record<Name, unknown>> = {};
  for (const name of names) facts[name] = await GATHER[name](requested, snapshot);
  return facts as Pick<PageFacts, Name>;
}
