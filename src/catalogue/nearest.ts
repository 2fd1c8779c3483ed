import { distance as editDistance } from 'fastest-levenshtein';

/**
 * The candidate that a mistyped word most likely meant, letter case aside; null where none is near.
 *
 * Near means: at most a third of the word's letters have to be changed, added or dropped, or the word is a part
 * of the candidate of at least three letters.
 */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const wanted = word.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (best !== null || wanted.length < 3) return best;
  return candidates.find((candidate) => candidate.toLowerCase().includes(wanted)) ?? null;
}

/** `; did you mean "x"?` for the end of a sentence about an unknown word, or an empty string. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const suggestion = nearest(word, candidates);
  return suggestion === null ? '' : `; did you mean "${suggestion}"?`;
}
