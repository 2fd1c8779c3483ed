import type { ListPlace } from './link.ts';

/**
 * Spellings of a path that a gateway and the router behind it may read differently. Each departs in all segments
 * at once: a gate may stand before the whole path or before its beginning. What comes out as the path itself, or twice, is
 * left out.
 *
 * @param all whether each segment departs on its own, too, and ways that few routers know are among them
 */
export function pathSpellings({ basePath, listPath }: ListPlace, all: boolean): readonly string[] {
  const segments = listPath.split('/').slice(1);
  const last = segments.at(-1) ?? '';
  const above = segments
    .slice(0, -1)
    .map((segment) => `/${segment}`)
    .join('');
  const each = (written: (segment: string) => string): string =>
    basePath + segments.map((segment) => `/${written(segment)}`).join('');
  const upper = (segment: string): string => segment.toUpperCase();
  // The first character that is no part of an escape yet: an escape of its percent sign would lead elsewhere.
  const encoded = (segment: string): string =>
    segment.replace(/(?<!%|%[0-9a-f])[\w.~-]/i, (character) => `%${character.charCodeAt(0).toString(16)}`);
  const usual = [
    `${basePath}${listPath}/`,
    `${basePath}${above}//${last}`,
    each(upper),
    each(encoded),
    // What leads to a token is open to everybody.
    `${basePath}/connect/..${above}/./${last}`,
  ];
  const others = [
    `${basePath}/${listPath}`,
    `${basePath}${listPath}//`,
    `${basePath}${above}/${upper(last)}`,
    `${basePath}${above}/${encoded(last)}`,
    `${basePath}${above}/x/.././${last}`,
    `${basePath}${above}/%2e/${last}`,
    `${basePath}${listPath}/.`,
    `${basePath}${listPath};a=b`,
    `${basePath}${listPath}.json`,
    `${basePath}${listPath}%20`,
  ];
  const ways = new Set(all ? [...usual, ...others] : usual);
  ways.delete(basePath + listPath);
  return [...ways];
}
