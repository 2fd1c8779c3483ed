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

/** Looks for mistakes that can be seen without a request: a path that is there already, and http for https. */
export function urlMistakes(
  target: Pick<Target, 'authUrl' | 'baseUrl' | 'resources' | 'places'>,
): UrlMistake[] {
  const { resources, places } = target;
  const mistakes: UrlMistake[] = [];
  const named = (key: UrlMistake['key']): string =>
    places[key] === undefined ? key : `${key} (${places[key]})`;
  const expectOnce = (key: UrlMistake['key'], path: string): void => {
    const part = repeatedPart(target[key], path);
    if (part === null || mistakes.some((one) => one.key === key)) return;
    const without = target[key].slice(0, -part.length);
    const sentence = `${named(key)} already ends with ${part}, and Assay appends ${path}; write ${without}.`;
    mistakes.push({ kind: 'doubled-path', key, sentence });
  };
  expectOnce('authUrl', TOKEN_PATH);
  for (const { path } of resources) expectOnce('baseUrl', path);
  for (const key of ['authUrl', 'baseUrl'] as const) {
    const url = new URL(target[key]);
    if (url.protocol !== 'http:' || isLoopback(url)) continue;
    const sentence = `${named(key)} is http, so secrets are sent in clear text to ${url.host}; write https://${url.host}.`;
    mistakes.push({ kind: 'http', key, sentence });
  }
  return mistakes;
}

/** The beginning of a path, in whole segments, with which a URL ends already; null if there is none. */
function repeatedPart(url: string, path: string): string | null {
  const segments = path.split('/').slice(1);
  const beginnings = segments.map((_segment, index) => `/${segments.slice(0, index + 1).join('/')}`);
  return beginnings.findLast((part) => new URL(url).pathname.endsWith(part)) ?? null;
}
