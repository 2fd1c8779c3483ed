import { statSync } from 'node:fs';
import { DAY_MS } from '../core/clock.ts';
import { isLoopback } from '../core/exchange.ts';
import { valueAt } from '../core/schemas/shipped-schema.ts';
import { misspeltKeywords } from '../core/schemas/user-schema.ts';
import { formatPath, type Path, type TargetDocument } from './document.ts';
import { basePathOf } from './make.ts';
import { isSecretHeader, type Target } from './target.ts';
import { isBuiltIn } from './target-rules.ts';

/** What Assay appends to `authUrl`. */
export const TOKEN_PATH = '/connect/token';

const SECRET_KEYS: readonly Path[] = [
  ['credentials', 'clientSecret'],
  ['otherCredentials', 'clientSecret'],
  ['expiredToken'],
];

/** Secrets in clear text, and files that others can read. A provider on loopback without TLS has no real secrets. */
export function fileWarnings(document: TargetDocument): string[] {
  const { file } = document;
  if (isOnlyLocal(document.value)) return [];
  const clear = [...SECRET_KEYS, ...secretHeaders(document.value)].filter((path) =>
    isClear(document.value, path),
  );
  const warnings = clear.map((path) => {
    const place = `${file}:${document.lineOf(path, false)}`;
    return `${place}: ${formatPath(path)} is in clear text; read it from the environment instead: \${NAME}`;
  });
  if (clear.length > 0 && readableByOthers(file))
    warnings.push(`${file}: the file contains secrets and other users can read it; run chmod 600 on it`);
  return warnings;
}

/** Days before the end of a waiver at which warnings start. */
const WAIVER_NOTICE_DAYS = 30;

/** Warns of waivers that have expired or will expire within 30 days of `today`. */
export function waiverWarnings(target: Target, today: Date): string[] {
  return target.waivers.flatMap(({ requirement, until }) => {
    // A waiver counts to the end of its last day (UTC).
    const days = Math.floor((Date.parse(`${until}T23:59:59Z`) - today.getTime()) / DAY_MS);
    const which = `${target.name}: the waiver of ${requirement}`;
    if (days < 0) return [`${which} expired on ${until} and no longer counts`];
    return days < WAIVER_NOTICE_DAYS ? [`${which} expires on ${until}`] : [];
  });
}

/** Warns of secrets with a line break, which usually comes from the file that they were read from. */
export function lineBreakWarnings(target: Target): string[] {
  return (['credentials', 'otherCredentials'] as const)
    .filter((key) => /[\r\n]/u.test(target[key]?.clientSecret ?? ''))
    .map(
      (key) =>
        `${target.name}: ${key}.clientSecret contains a line break, which is sent as part of the secret`,
    );
}

/** Warns of keywords in the schemas of items that test nothing because they are misspelt. */
export function schemaWarnings({ name, resources }: Target): string[] {
  const files = new Set(resources.map(({ itemSchema }) => itemSchema).filter((schema) => !isBuiltIn(schema)));
  return [...files].flatMap((file) =>
    misspeltKeywords(file).map(
      ([unknown, meant]) =>
        `${name}: ${file} has the unknown keyword ${unknown}, which tests nothing; did you mean "${meant}"?`,
    ),
  );
}

/** Warns of credentials that are sent to another machine without TLS. */
export function transportWarnings(target: Target): string[] {
  return (['authUrl', 'baseUrl'] as const)
    .map((key) => ({ key, url: new URL(target[key]) }))
    .filter(({ url }) => url.protocol === 'http:' && !isLoopback(url))
    .map(
      ({ key, url }) =>
        `${target.name}: ${key} is plain http, so secrets are sent in clear text to ${url.host}`,
    );
}

function isOnlyLocal({ authUrl, baseUrl }: TargetDocument['value']): boolean {
  return [authUrl, baseUrl].every((text) => {
    const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : null;
    return url?.protocol === 'http:' && isLoopback(url);
  });
}

function secretHeaders(value: TargetDocument['value']): Path[] {
  const names = Object.keys(value['headers'] ?? {});
  return names.filter(isSecretHeader).map((name) => ['headers', name]);
}

function isClear(value: unknown, path: Path): boolean {
  const text = valueAt(value, path);
  return typeof text === 'string' && text !== '' && !/(^|[^$])\$\{/.test(text);
}

// Windows has no permission bits: Node.js reports every file as readable by all.
function readableByOthers(file: string): boolean {
  if (process.platform === 'win32') return false;
  try {
    return (statSync(file).mode & 0o044) !== 0;
  } catch {
    return false;
  }
}

/** Finds URLs that already end with a path that Assay appends: one sentence each, which says how to correct it. */
export function doubledPaths(
  target: Pick<Target, 'authUrl' | 'baseUrl' | 'resources' | 'places'>,
): readonly string[] {
  const { resources, places } = target;
  const sentenceOn = (key: 'authUrl' | 'baseUrl', path: string): readonly string[] => {
    const part = repeatedPart(target[key], path);
    if (part === null) return [];
    const name = places[key] === undefined ? key : `${key} (${places[key]})`;
    const without = target[key].slice(0, -part.length);
    return [`${name} already ends with ${part}, and Assay appends ${path}; write ${without}.`];
  };
  return [
    ...sentenceOn('authUrl', TOKEN_PATH),
    ...resources.flatMap(({ path }) => sentenceOn('baseUrl', path)).slice(0, 1),
  ];
}

/** The leading segments of a path that the URL already ends with; null if there are none. */
function repeatedPart(url: string, path: string): string | null {
  const segments = path.split('/').slice(1);
  const beginnings = segments.map((_segment, index) => `/${segments.slice(0, index + 1).join('/')}`);
  return beginnings.findLast((part) => basePathOf(url).endsWith(part)) ?? null;
}
