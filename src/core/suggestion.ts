import { distance as editDistance } from 'fastest-levenshtein';

/**
 * The candidate that a mistyped word most likely meant, letter case, dashes and underscores aside; null where none is near.
 *
 * Near means: at most a third of the word's letters have to be changed, added or dropped, two neighbours have changed
 * places, or the word is a part of the candidate of at least three letters.
 */
export function findSuggestion(word: string, candidates: readonly string[]): string | null {
  const wanted = plain(word);
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = distanceOf(wanted, plain(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  if (best !== null || wanted.length < 3) return best;
  return candidates.find((candidate) => plain(candidate).includes(wanted)) ?? null;
}

// Two letters that changed places are one slip, where they alone are what differs.
function distanceOf(one: string, other: string): number {
  const at = [...one].findIndex((letter, place) => letter !== other[place]);
  const swapped = `${one.slice(0, at)}${one[at + 1] ?? ''}${one[at] ?? ''}${one.slice(at + 2)}`;
  return at !== -1 && swapped === other ? 1 : editDistance(one, other);
}

function plain(word: string): string {
  return word.toLowerCase().replace(/[-_]/gu, '');
}

/** `; did you mean "x"?` for the end of a sentence about an unknown word, or an empty string. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const suggestion = findSuggestion(word, candidates);
  return suggestion === null ? '' : `; did you mean "${suggestion}"?`;
}
