import type { CheckContext } from '../context.ts';

/**
 * The part of a long list of probes that a run sends: everything for `certify`, nothing for `smoke`, and for `full` the
 * next few by its seed, so that runs with consecutive seeds send all of them.
 *
 * @param share how many a full run sends
 * @param rare probes that `certify` sends only
 */
export function shareOf<Probe>(
  { options: { suite, seed } }: Pick<CheckContext, 'options'>,
  probes: readonly Probe[],
  share: number,
  rare: readonly Probe[] = [],
): readonly Probe[] {
  if (suite === 'smoke') return [];
  if (suite === 'certify') return [...probes, ...rare];
  if (probes.length <= share) return probes;
  return Array.from({ length: share }, (_none, index) => {
    // A seed may be negative as a 32-bit integer.
    const place = ((seed >>> 0) * share + index) % probes.length;
    return probes[place] as Probe;
  });
}
