import { isLoopback } from '../core/loopback.ts';
import type { Target } from './target.ts';

/** What Assay appends to `authUrl`. */
export const TOKEN_PATH = '/connect/token';

/** A likely mistake in `authUrl` or `baseUrl`. */
export interface UrlMistake {
  readonly kind: 'doubled-path' | 'http';
  readonly key: 'authUrl' | 'baseUrl';
  /** One sentence that says how to correct it. */
  readonly sentence: string;
}

/** Finds mistakes that need no request: a path that Assay appends itself, and http instead of https. */
export function urlMistakes(
  target: Pick<Target, 'authUrl' | 'baseUrl' | 'resources' | 'places'>,
): UrlMistake[] {
  const { resources, places } = target;
  const mistakes: UrlMistake[] = [];
  const keyName = (key: UrlMistake['key']): string =>
    places[key] === undefined ? key : `${key} (${places[key]})`;
  const checkRepeatedPath = (key: UrlMistake['key'], path: string): void => {
    const part = repeatedPart(target[key], path);
    if (part === null || mistakes.some((one) => one.key === key)) return;
    const without = target[key].slice(0, -part.length);
    const sentence = `${keyName(key)} already ends with ${part}, and Assay appends ${path}; write ${without}.`;
    mistakes.push({ kind: 'doubled-path', key, sentence });
  };
  checkRepeatedPath('authUrl', TOKEN_PATH);
  for (const { path } of resources) checkRepeatedPath('baseUrl', path);
  for (const key of ['authUrl', 'baseUrl'] as const) {
    const url = new URL(target[key]);
    if (url.protocol !== 'http:' || isLoopback(url)) continue;
    const sentence = `${keyName(key)} is http, so secrets are sent in clear text to ${url.host}; write https://${url.host}.`;
    mistakes.push({ kind: 'http', key, sentence });
  }
  return mistakes;
}

/** The leading segments of a path that the URL already ends with; null if there are none. */
function repeatedPart(url: string, path: string): string | null {
  const segments = path.split('/').slice(1);
  const beginnings = segments.map((_segment, index) => `/${segments.slice(0, index + 1).join('/')}`);
  return beginnings.findLast((part) => new URL(url).pathname.endsWith(part)) ?? null;
}
