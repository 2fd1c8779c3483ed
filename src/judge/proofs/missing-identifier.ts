import { Blocked, Undecided } from '../../core/undecided.ts';
import { at } from '../../provider/diagnosis.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { Traversal } from '../../provider/traversal.ts';
import { traversalName } from '../traversals.ts';

/**
 * Why the items of a traversal have no identifier: either they break their schema, or idField of the target file names
 * a member that the schema does not require, probably by a spelling mistake.
 */
export function causeOfMissingIdentifier({ client }: Snapshot, traversal: Traversal): Undecided {
  const { resource, target } = client;
  const missing = `items of ${traversalName(traversal)} have no ${resource.idField}`;
  const isSound = traversal.steps.some(({ page }) => page.badItem === null && page.identities.includes(0n));
  if (!isSound) return new Blocked('list/items', missing);
  const key = `resources[${target.resources.indexOf(resource)}].idField`;
  return new Undecided(
    { kind: 'configuration', key },
    `${missing}, and match their schema. Check ${at(target, key)}: ` +
      'it must name the member that identifies an item, in the same letter case',
  );
}

/** Whether the cause is a wrong idField. */
export function isAboutIdentifier({ cause }: Undecided): boolean {
  return cause.kind === 'configuration' && cause.key.endsWith('.idField');
}
