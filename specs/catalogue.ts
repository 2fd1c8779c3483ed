import { type Catalogue, CHAPTERS, type Observation, type Requirement } from '../src/core/requirement.ts';
import { didYouMean } from '../src/core/suggestion.ts';
import { globPattern } from '../src/core/text.ts';
import { UserError } from '../src/core/user-error.ts';
import { observers } from './observations/index.ts';
import { suite } from './suite.ts';

/** Every requirement, in catalogue order. */
export const requirements: readonly Requirement[] = suite.map((check) => check.requirement);

/** Every observation, in catalogue order. */
export const observations: readonly Observation[] = observers.map((observer) => observer.observation);

/** Requirements and observations, as reports take them. */
export const catalogue: Catalogue = { requirements, observations };

const rows = [...requirements, ...observations];
const knownIds: readonly string[] = rows.map(({ id }) => id);

/**
 * The requirement or the observation of that identifier.
 *
 * @throws UserError if there is neither, with the nearest of both
 */
export function anyRow(id: string): Requirement | Observation {
  const found = rows.find((one) => one.id === id);
  if (found !== undefined) return found;
  throw new UserError(`there is no requirement or observation "${id}"${didYouMean(id, knownIds)}`);
}

/**
 * The identifiers of requirements and observations that any of the globs matches, in the catalogue's order.
 *
 * In a glob, `*` matches any characters and `?` matches one; other characters match themselves.
 *
 * @throws UserError for the first glob or identifier that matches nothing
 */
export function matchIds(globs: readonly string[]): string[] {
  const matched = new Set<string>();
  for (const glob of globs) {
    const pattern = globPattern(glob);
    const hits = knownIds.filter((id) => pattern.test(id));
    if (hits.length === 0) throw new UserError(unmatched(glob));
    for (const id of hits) matched.add(id);
  }
  return knownIds.filter((id) => matched.has(id));
}

function unmatched(glob: string): string {
  const chapters = [...CHAPTERS, 'observe'].map((chapter) => `${chapter}/*`);
  if (/[*?]/u.test(glob)) return `"${glob}" matches no requirement${didYouMean(glob, chapters)}`;
  return `there is no requirement "${glob}"${didYouMean(glob, [...chapters, ...knownIds])}`;
}
