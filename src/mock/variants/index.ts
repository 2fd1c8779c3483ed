import { registryOf } from '../registry.ts';
import type { Variant } from '../variant.ts';
import { answerVariants } from './answers.ts';
import { bodyVariants } from './bodies.ts';
import { changingDataVariants } from './changing-data.ts';
import { linkVariants } from './links.ts';
import { rareRequestVariants } from './rare-requests.ts';
import { tokenRefusalVariants } from './token-refusals.ts';
import { tokenVariants } from './tokens.ts';
import { totalVariants } from './totals.ts';
import { transportVariants } from './transport.ts';

const registry = registryOf<Variant>([
  ...totalVariants,
  ...linkVariants,
  ...tokenVariants,
  ...tokenRefusalVariants,
  ...answerVariants,
  ...bodyVariants,
  ...transportVariants,
  ...rareRequestVariants,
  ...changingDataVariants,
]);

/** Every conforming variant. */
export const variants: readonly Variant[] = registry.entries;

/** The variant with this identifier. Throws RangeError if there is none. */
export function findVariant(id: string): Variant {
  const found = registry.find(id);
  if (found === undefined) throw new RangeError(`unknown variant ${id}`);
  return found;
}
