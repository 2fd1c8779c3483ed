import { closest, distance } from 'fastest-levenshtein';

/** The candidate that was probably meant; null where none is close. */
export function nearest(text: string, candidates: readonly string[]): string | null {
  if (candidates.length === 0) return null;
  const plain = (word: string): string => word.toLowerCase().replace(/[-_]/g, '');
  const same = candidates.find((candidate) => plain(candidate) === plain(text));
  if (same !== undefined) return same;
  const found = closest(text, [...candidates]);
  return distance(text, found) <= Math.max(1, Math.floor(found.length / 3)) ? found : null;
}
