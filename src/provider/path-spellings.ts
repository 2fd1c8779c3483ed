import { swapCase } from '../core/text.ts';
import type { ListAddress } from './link.ts';

/** Spellings of a path that lead to the same list on some providers. */
interface PathSpellings {
  /** Spellings that break most providers. */
  readonly usual: readonly string[];
  /** Further spellings, too many for every run. */
  readonly further: readonly string[];
  /** Spellings that break few providers. */
  readonly rare: readonly string[];
}

/**
 * Spellings of a path that a gateway and the router behind it may read differently. The usual ones depart in all segments at
 * once: a gate may stand before the whole path or before its beginning. Further ones depart in single segments, also of the
 * base path, or in ways that few routers know. What comes out as the path itself, or twice, is left out.
 */
export function pathSpellings({ basePath, listPath }: ListAddress): PathSpellings {
  const segments = listPath.split('/').slice(1);
  const last = segments.at(-1) ?? '';
  const above = segments
    .slice(0, -1)
    .map((segment) => `/${segment}`)
    .join('');
  const each = (written: (segment: string) => string): string =>
    basePath + segments.map((segment) => `/${written(segment)}`).join('');
  const upper = (segment: string): string => segment.toUpperCase();
  const capital = (segment: string): string => upper(segment.slice(0, 1)) + segment.slice(1);
  const whole = `${basePath}${listPath}`.split('/').slice(1);
  const singly = (written: (segment: string) => string): readonly string[] =>
    whole.map((_segment, place) =>
      whole.map((segment, at) => `/${at === place ? written(segment) : segment}`).join(''),
    );
  // The first character outside of an escape: encoding the percent sign of an escape would change the path.
  const encoded = (segment: string): string => segment.replace(/(?<!%|%[0-9a-f])[\w.~-]/i, escapeOf);
  const wholly = (segment: string): string =>
    segment.replace(/%[0-9a-f]{2}|[\w.~-]/gi, (text) => (text.length > 1 ? text : escapeOf(text)));
  const endEncoded = (segment: string): string => segment.replace(/[\w.~-]$/, escapeOf);
  const usual = [
    `${basePath}${listPath}/`,
    // A path that begins with two slashes could be read as a host.
    `${basePath}${basePath === '' ? '' : '/'}${above}//${last}`,
    each(upper),
    each(encoded),
    // /connect/ is open to everyone; a gate may exempt its prefix.
    `${basePath}/connect/..${above}/./${last}`,
  ];
  const further = [
    ...singly(swapCase),
    `${basePath}/${listPath}`,
    `${basePath}${above}/${encoded(last)}`,
    `${basePath}${listPath}.json`,
    `${basePath}${listPath};a=b`,
    ...(above === '' ? [] : [`${basePath}${above}%2F${last}`]),
    `${basePath}${above}/%2e/${last}`,
    `${basePath}${listPath}//`,
    `${basePath}${listPath}%2F`,
    `${basePath}${listPath}%20`,
  ];
  const rare = [
    // Together, for a router that ignores both.
    `${each(capital)}/`,
    ...singly(capital),
    ...singly(encoded),
    ...singly((segment) => `/${segment}`),
    ...singly((segment) => `./${segment}`),
    ...singly((segment) => `x/../${segment}`),
    `${basePath}${listPath}/.`,
    `${basePath}${listPath}/./`,
    `${basePath}${above}/${wholly(last)}`,
    `${basePath}${above}/${endEncoded(last)}`,
    `${basePath}/connect/%2e%2e${above}/${last}`,
    `${basePath}${above}/x/%2e%2e/${last}`,
    // Decoded twice; encoding the escapes of a path again would change it.
    ...(last.includes('%') ? [] : [`${basePath}${above}/${encoded(last).replaceAll('%', '%25')}`]),
    upper(`${basePath}${listPath}`),
    `${basePath}${listPath}%00`,
    ...(above === '' ? [] : [`${basePath}${above}%5C${last}`]),
  ];
  const known = new Set([basePath + listPath]);
  const unknown = (ways: readonly string[]): readonly string[] =>
    ways.filter((way) => {
      const isNew = !known.has(way);
      known.add(way);
      return isNew;
    });
  return { usual: unknown(usual), further: unknown(further), rare: unknown(rare) };
}

function escapeOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
