import { statSync } from 'node:fs';
import { isLoopback } from '../core/loopback.ts';
import type { TargetDocument } from './document.ts';
import type { Path } from './error.ts';
import { formatPath } from './error.ts';
import { isSecretHeader } from './secrets.ts';
import type { Target } from './target.ts';

const SECRET_KEYS: readonly Path[] = [
  ['credentials', 'clientSecret'],
  ['otherCredentials', 'clientSecret'],
  ['expiredToken'],
];

/**
 * What is not wrong in a target file but unwise: secrets in clear, and others who may read them. A provider that
 * this machine serves to itself without TLS, as a mock does, has no secrets worth the words.
 */
export function fileWarnings(document: TargetDocument): string[] {
  const { file } = document;
  if (isOnlyLocal(document.value)) return [];
  const clear = [...SECRET_KEYS, ...secretHeaders(document.value)].filter((path) =>
    isClear(document.value, path),
  );
  const warnings = clear.map((path) => {
    const place = `${file}:${document.lineOf(path, false)}`;
    return `${place}: ${formatPath(path)} is written in clear; read it from the environment instead: \${NAME}`;
  });
  if (clear.length > 0 && readableByOthers(file)) {
    warnings.push(`${file}: the file holds secrets and may be read by other users; chmod 600 keeps them out`);
  }
  return warnings;
}

/** Days before its end on which a waiver is first warned of. */
const WAIVER_NOTICE_DAYS = 30;

/** Warns of waivers that have run out or will within 30 days of `today`. */
export function waiverWarnings(target: Target, today: Date): string[] {
  return target.waivers.flatMap(({ requirement, until }) => {
    // A waiver counts to the end of its last day (UTC).
    const days = Math.floor((Date.parse(`${until}T23:59:59Z`) - today.getTime()) / 86_400_000);
    const which = `${target.name}: the waiver of ${requirement}`;
    if (days < 0) return [`${which} ran out on ${until} and no longer counts`];
    return days < WAIVER_NOTICE_DAYS ? [`${which} runs out on ${until}`] : [];
  });
}

/** Warns of secrets that hold a line break, which is mostly the end of the file that they were read from. */
export function lineBreakWarnings(target: Target): string[] {
  return (['credentials', 'otherCredentials'] as const)
    .filter((key) => /[\r\n]/u.test(target[key]?.clientSecret ?? ''))
    .map((key) => `${target.name}: ${key}.clientSecret holds a line break, which is sent with it`);
}

/** Warns of credentials that would travel without TLS to another machine. */
export function transportWarnings(target: Target): string[] {
  return (['authUrl', 'baseUrl'] as const)
    .filter((key) => isPlainAndRemote(new URL(target[key])))
    .map(
      (key) =>
        `${target.name}: ${key} is plain http, so secrets travel in clear to ${new URL(target[key]).host}`,
    );
}

function isPlainAndRemote(url: URL): boolean {
  return url.protocol === 'http:' && !isLoopback(url);
}

function isOnlyLocal({ authUrl, baseUrl }: TargetDocument['value']): boolean {
  return [authUrl, baseUrl].every((text) => {
    const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : null;
    return url?.protocol === 'http:' && isLoopback(url);
  });
}

function secretHeaders(value: TargetDocument['value']): Path[] {
  const headers = value['headers'];
  if (typeof headers !== 'object' || headers === null) return [];
  return Object.keys(headers)
    .filter(isSecretHeader)
    .map((name) => ['headers', name]);
}

function isClear(value: unknown, path: Path): boolean {
  let at = value;
  for (const part of path) {
    if (typeof at !== 'object' || at === null) return false;
    at = (at as { readonly [key: string | number]: unknown })[part];
  }
  return typeof at === 'string' && at !== '' && !/(^|[^$])\$\{/.test(at);
}

// Windows has no such bits; node reports every file there as readable by all.
function readableByOthers(file: string): boolean {
  if (process.platform === 'win32') return false;
  try {
    return (statSync(file).mode & 0o044) !== 0;
  } catch {
    return false;
  }
}
