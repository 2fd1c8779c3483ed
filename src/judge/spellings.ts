import type { ListPlace } from '../provider/link.ts';

/**
 * Ways to write a path that a gate and a router behind it have been met to read differently. Each departs in all segments
 * at once: a gate may stand before the whole path or before its beginning.
 *
 * @param all whether each segment departs on its own, too, and ways that few routers know are among them
 */
export function spellings({ basePath, listPath }: ListPlace, all: boolean): readonly string[] {
  const segments = listPath.split('/').slice(1);
  const last = segments.at(-1) ?? '';
  const above = segments
    .slice(0, -1)
    .map((segment) => `/${segment}`)
    .join('');
  const each = (written: (segment: string) => string): string =>
    basePath + segments.map((segment) => `/${written(segment)}`).join('');
  const upper = (segment: string): string => segment.toUpperCase();
  const encoded = (segment: string): string => `%${segment.charCodeAt(0).toString(16)}${segment.slice(1)}`;
  const usual = [
    `${basePath}${listPath}/`,
    `${basePath}${above}//${last}`,
    each(upper),
    each(encoded),
    // What leads to a token is open to everybody.
    `${basePath}/connect/..${above}/./${last}`,
  ];
  if (!all) return usual;
  return [
    ...usual,
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
}
