import { distance as editDistance } from 'fastest-levenshtein';

/**
 * The candidate closest to a mistyped word, ignoring letter case, dashes and underscores; null if none is close.
 *
 * Close means: at most a third of the letters differ, two adjacent letters are swapped, or the word has at least
 * three letters and is part of the candidate.
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

// Two swapped adjacent letters count as one edit if nothing else differs.
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
